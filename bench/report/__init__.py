"""Result tables and pages.

table     rows of results against their targets, as text and Markdown
sizes     how many of each are measured: full, small, soak
counts    the committed files of expected counts
event_figures  rows of each kind of event: counts, and dollars as `ops cost` has them
sources   digests of the code that a page's figures describe
page      `python -m bench.report.page`: docs/performance.md, and the age of every page's figures
plot      its bar chart as SVG
marked    writes a table between two marks of a docs page
desk      `python -m bench.report.desk`: what docs/openapi.yaml and docs/outreach-people.md say of acts
settings  `python -m bench.report.settings`: what docs/outreach-settings.md says of unreadable settings
jurisdictions  `python -m bench.report.jurisdictions`: the rules of docs/jurisdictions-rules.md
cost_page  `python -m bench.report.cost_page`: the tables of docs/cost.md and docs/cost-basis.md
plan_page  `python -m bench.report.plan_page`: the tables of docs/capacity-plan.md
mutation  `python -m bench.report.mutation`: results of `make mutate`
mutation_sample  `python -m bench.report.mutation_sample`: packages outside the core, by sample
stats     `python -m bench.report.stats`: lines, coverage, bundle size, clone to demo
"""
