"""The stage deployed as it would be to AWS, onto the local engine: packaged functions really run.

    venv            the engine's own virtual environment, `.venv-sam`
    shim            ... and its start, with the two API Gateway calls `chalice deploy` needs
    bundle          a copy of the project with its packages, and `chalice package` of it
    deployment      what both ways of deploying leave behind, and how to look into it
    stack           the one way: `chalice package`, CloudFormation change set
    direct          the other way: provisioned data resources, then `chalice deploy`
    __main__        `python -m local.deploy [stack | direct]`

MiniStack starts the functions as processes of this machine; nothing listens beyond 127.0.0.1.
"""
