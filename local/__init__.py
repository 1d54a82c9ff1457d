"""The whole system on one machine; not deployed, and not imported by deployed code.

    __main__         `python -m local run | trial | tables | requests | demo`
    serve            a stack that runs until Ctrl-C, with the console over it
    welcome          what `make run` prints
    trial            the stack that tests try from outside: two companies, a clock that can be moved
    operator         runs operators' commands for a caller that has many of them
    stack/           engine, resources, HTTP server, queue pump and schedules
    vendors/         simulated vendors on loopback that record requests and fail on demand
    demo/            `make demo`
    deploy/          `make deploy-local`: the packaged stage on the engine
    acceptance/      `make aws-acceptance`: a stage's whole life in one command, on AWS or here
    drill            `make drill`: a deployed stage with lost webhooks, a killed worker, an outage
    company          an invented company that starts conversations, with its keys and secrets
    simulated_model  responses of the simulated language model
    simulated_judge  the same where it judges a text by its sources
    send             posts webhooks as Aloware or HubSpot to the running stack
    aligned          table contents as text
    chart            facts per agent and day as a bar chart

Everything listens on 127.0.0.1 only.
"""
