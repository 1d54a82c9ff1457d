"""What the vendor keeps of a prompt is counted, over the real writer and the simulated OpenAI."""

from bench.measures.prompts import MODELS, PROJECTS, Metered, on_openai, write_answers
from chalicelib.outreach.spending.model_catalogue import ModelCatalogue


def test_a_filled_projects_prompts_are_mostly_kept_and_a_small_ones_are_not():
    with on_openai() as client:
        kept = {}
        for project, settings in PROJECTS.items():
            metered = Metered(client(), ModelCatalogue().find(MODELS[0]))
            write_answers(metered, settings)
            kept[project] = [call.cached_tokens / call.input_tokens for call in metered.used]
    assert not any(kept["small"])
    assert min(kept["large"][1:]) > 0.5
