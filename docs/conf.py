"""How Sphinx builds these pages: `make docs`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from bandstrap.version import __version__
from reference import spelled_out, write_reference

project = "bandstrap"
author = "The bandstrap developers"
version = release = __version__
html_title = f"bandstrap {version}"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

default_role = "code"  # docstrings write names as `name`
autosummary_generate = False
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
maximum_signature_line_length = 88

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_show_copyright = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b63a5", "color-brand-content": "#0b63a5"},
    "dark_css_variables": {"color-brand-primary": "#6cb6ff", "color-brand-content": "#6cb6ff"},
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
copybutton_prompt_text = r"^(\$ |>>> |\.\.\. )"
copybutton_prompt_is_regexp = True


def setup(app):
    write_reference(Path(app.srcdir) / "api")
    app.connect("autodoc-process-signature", spelled_out)
