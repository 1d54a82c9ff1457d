"""Richpanel tickets: what a customer's message is about, who gets it, and what may be answered.

flow             the plan of each new comment, and what is remembered of it
arrivals         which comments are new
inquiry          a message with what has been read of its ticket
decision         intent, confidence, department, tier and reasons; pure
opinion          a language model's view of the same, and when it counts
answering        whether an automatic reply may go out, and with what
guard_rails      everything that forbids a reply
customer_orders  which order a message is about, and who knows it
order_status     which template tells what is known of an order; pure
eta              business days
templates        every text that may reach a customer
routing          decision and reply as a plan; pure
read_back        how a reply of unknown outcome is found again
"""

from chalicelib.support.flow import SupportFlow
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.routing import PROCESSED_TAG, ROUTED_TAG, decide

__all__ = ["PROCESSED_TAG", "ROUTED_TAG", "Inquiry", "SupportFlow", "decide"]
