"""The console: pages for the people who run a stage, over the functions that the commands call.

It has no logic of its own and no second way to act: a page reads and acts through `ops`, and every act
is one that a command does too.  Every page is rendered here and works without script.

    app        `create_app`: the application, and what every request passes
    rights     persons, roles, and what each role may do
    sign_in    the port by which a request's person is known
    loopback   sign-in and server on one's own machine
    openid     sign-in by an OpenID Connect provider
    sessions   rows of signed-in persons, each with an end
    renewal    whether the provider still knows the person of a session
    grants     roles by group of that provider
    colleagues  whom a deployment lists as working for a company
    team       a company's colleagues as they are now, and who is away
    settings   how people reach the deployed console and sign in
    deployed   the Lambda function behind an HTTP API
    forms      a post is accepted from our own pages only
    backend    the stage behind the pages
    typed_conversation  a conversation as it is typed into a form
    transcript  who wrote each message of a conversation, and what became of it
    dossier    what is known beside its messages: consent, wishes, calls of tools
    excerpt    what the inbox shows of a conversation: a name, the last words
    saved_replies  a text with fields, filled from one conversation
    request_data  what the request that began a conversation brought along
    own_conversations  which conversations of a reader's own companies a text names
    word_diff  what an edit changes, word by word
    paging     lists that are read on by the key of their last row
    drawing    charts as SVG
    spreadsheet  CSV that is no formula
    error_pages  error pages, and the headers of every answer
    pages/     the pages themselves
    templates  their HTML
    static     style sheet, scripts, htmx 2.0.11 and the font Inter, each with its licence

The packages in `requirements.txt` here are no part of the functions' bundle.
"""
