"""Deploys the packaged stage to the local engine as it would be to AWS, in both ways.

    __main__    `python -m local.deploy [stack | direct]`: deploys, uses, checks
    bundle      a copy of the project with its packages; runs `chalice package` on it
    data        makes the access and data stack, for both ways
    ways        deploys the functions: `chalice package` and a stack, or `chalice deploy`
    deployment  a deployed stage: its routes, functions, mappings, logs
    lint        cfn-lint over the packaged template of every stage; part of `make check`
    locking     `python -m local.deploy.locking`: compiles the locks of what ships
    venv        the engine's own virtual environment, `.venv-sam`

MiniStack runs the packaged functions as processes of this machine; everything listens on 127.0.0.1.
"""
