"""Support, as an operator sets it up and watches it.

settings_file         the settings document in a file: read, checked, published
preview               every template in every language on sample orders
commands              the commands of `support-settings`
"""
