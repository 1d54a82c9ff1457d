"""The console: pages for the people who run a stage, over the functions that the commands call.

It has no logic of its own and no second way to act: a page reads and acts through `ops`, and every
act is also a command's.  Every page is rendered on the server and works without script.

    app                 `create_app`: the application, and the checks that every request passes
    rights              persons, roles, and what each role may do
    sign_in             the port that says which person makes a request
    loopback            sign-in and server on the operator's own machine
    openid              sign-in by an OpenID Connect provider
    sessions            the sessions of signed-in persons, as rows with an end
    renewal             asks the provider whether a session's person still has an account
    grants              the roles that each group of the provider gives
    colleagues          the colleagues of each company, as a deployment lists them
    team                a company's colleagues as they are now, and who is away
    settings            how people reach the deployed console and sign in
    deployed            the Lambda function behind an HTTP API
    forms               accepts posts from our own pages only
    backend             the stage behind the pages
    typed_conversation  a conversation that a person types into a form
    transcript          who wrote each message of a conversation, and whether it was delivered
    dossier             consent, wishes and tool calls, shown beside a conversation
    excerpt             what the inbox shows of a conversation: a name, the last words
    saved_replies       a text with fields, filled from one conversation
    request_data        the data that came with the request that began a conversation
    own_conversations   finds conversations of the reader's own companies by a text
    word_diff           what an edit changes, word by word
    paging              lists that continue after the key of their last row
    drawing             charts as SVG
    page_code           templates compiled once for every console of a process
    spreadsheet         CSV whose cells no spreadsheet takes for formulas
    error_pages         error pages, and the headers of every answer
    pages/              the pages themselves
    templates           their HTML
    static              style sheet, scripts, htmx 2.0.11 and the font Inter, each with its licence

The packages in `requirements.txt` here are not in the other functions' bundle.
"""
