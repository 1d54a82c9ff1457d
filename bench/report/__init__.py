"""Writes result tables and generated parts of docs pages.

table     rows of results against their targets, as text and Markdown
sizes     how many events, requests and rounds a run measures: full, small, soak
counts    the committed files of expected counts
event_figures  rows of each kind of event: counts, and dollars as in `ops cost`
sources   digests of the code that a page's figures describe
page      `python -m bench.report.page`: docs/performance.md, and the age of every page's figures
plot      the bar chart of docs/performance.md, as SVG
marked    writes a table between two marks of a docs page
desk      `python -m bench.report.desk`: the desk's acts in docs/openapi.yaml and docs/outreach-people.md
settings  `python -m bench.report.settings`: unreadable settings in docs/outreach-settings.md
reasons   `python -m bench.report.reasons`: where each reason is made, for docs/reasons.md
jurisdictions  `python -m bench.report.jurisdictions`: the rules of docs/jurisdictions-rules.md
cost_page  `python -m bench.report.cost_page`: the tables of docs/cost.md and docs/cost-basis.md
plan_page  `python -m bench.report.plan_page`: the tables of docs/capacity-plan.md
mutation  `python -m bench.report.mutation`: results of `make mutate`
mutation_sample  `python -m bench.report.mutation_sample`: mutation tests outside the core, by sample
stats     `python -m bench.report.stats`: lines, coverage, bundle size, clone to demo
"""
