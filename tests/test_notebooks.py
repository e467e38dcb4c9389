"""The notebooks run from their first cell to the last, and draw what they promise."""

import pytest

from paths import REPOSITORY

NOTEBOOKS = sorted((REPOSITORY / "notebooks").glob("*.ipynb"))


def test_there_are_three():
    assert [path.name[0] for path in NOTEBOOKS] == ["1", "2", "3"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_draws(path, tmp_path, monkeypatch):
    pytest.importorskip("ipykernel", reason="ipykernel runs notebooks: install ludus[dev]")
    if path.stem.startswith("2"):
        pytest.importorskip("torch", reason="training needs PyTorch")
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    drawn = [output for output in outputs if "image/png" in output.get("data", {})]
    assert drawn
    kept = [output for cell in nbformat.read(path, as_version=4).cells for output in cell.get("outputs", ())]
    assert len([output for output in kept if "image/png" in output.get("data", {})]) == len(drawn), "save it executed"
