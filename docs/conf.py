"""How Sphinx builds the documentation: `make docs`."""

from __future__ import annotations

from importlib.metadata import metadata
from typing import TYPE_CHECKING, Any

from stsbaselines import __version__

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_addresses = [each.split(", ") for each in metadata("stsbaselines").get_all("Project-URL") or []]

project = "stsbaselines"
author = "The stsbaselines developers"
project_copyright = author
release = version = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
]
exclude_patterns = ["_templates"]
nitpicky = True
nitpick_ignore_regex = [("py:obj", ".*")]  # in docstrings, backticks also mark parameters
numpydoc_validation_checks = {"PR02", "PR07", "RT03"}
default_role = "py:obj"

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

autodoc_typehints = "none"  # the parameters' types are in their descriptions
autodoc_default_options = {
    "members": True,
    "member-order": "bysource",
    "inherited-members": "BaseModel,ValueError,tuple",
}
autosummary_generate = True
numpydoc_show_class_members = False

copybutton_prompt_text = r">>> |\.\.\. |\$ |> "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_title = f"stsbaselines {version}"
html_theme = "pydata_sphinx_theme"
html_show_sourcelink = False
html_sidebars = {"**": ["sidebar-nav-bs", "page-toc"], "index": []}
html_theme_options = {
    "icon_links": [
        {"name": name, "url": address, "icon": "fa-solid fa-code-branch"}
        for name, address in _addresses
        if name == "Repository"
    ],
    "navbar_align": "left",
    "secondary_sidebar_items": [],
    "show_toc_level": 1,
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def _is_left_out(app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any) -> bool:
    """Leave out what estimators inherit from scikit-learn."""
    return skip or str(getattr(member, "__module__", "")).startswith("sklearn")


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-skip-member", _is_left_out)
