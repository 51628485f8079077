"""What leaves the machine as a file says nothing of where it was made."""

import re


def test_no_exported_file_holds_a_path_of_this_machine(run_engine):
    got = run_engine(
        """
import getpass, os, socket
from playground.engine.session import Session
folder = FOLDER / "secret-client-name"
folder.mkdir()
(folder / "helper.py").write_text("FACTOR = 2.0\\ndef scaled(x):\\n    return x * FACTOR\\n")
text = (KERNELS / "vector_add.py").read_text()
text = text.replace("import torch\\n", "import torch\\nfrom helper import scaled\\n", 1)
text = text.replace("return out", "return scaled(out)", 1)
path = folder / "kernel.py"
path.write_text(text)
play = Session()
play.load(path)
play.run()
out = {"kernels": len(play.launches)}
for keep in (False, True):
    out[f"export {keep}"] = play.export(0, keep_autotune=keep).text
out["reproducer"] = play.reproducer(0)
out["report"] = play.report(launch=0)
play.coverage(0)
play.save_counts(str(FOLDER / "counts.npz"))
out["npz"] = (FOLDER / "counts.npz").read_bytes().decode("latin-1")
play.close()
out["private"] = [str(FOLDER), "secret-client-name", os.path.expanduser("~") + "/",
                  socket.gethostname()]
answer(out)
"""
    )
    assert got.pop("kernels") == 1
    private = got.pop("private")
    for name, text in got.items():
        for word in private:
            assert word not in text, (name, word, re.findall(f".*{re.escape(word)}.*", text)[:2])
