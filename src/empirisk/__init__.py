"""empirisk: classical machine learning that shows its working.

Public names are loaded on first use, so that ``import empirisk`` stays fast; they are listed in the
stub beside this file.
"""

import lazy_loader as _lazy

__version__ = "0.1.0.dev0"

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
