"""What a killed run left behind: finished parts, and proof that they belong to the run that continues.

The work folder lies beside the target and holds `journal.json` and one Arrow file a part. A part is listed only after
it is whole on the disk, with its digest; a journal of another source, transform or setting is thrown away.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from withhold.contracts.errors import WithholdError
from withhold.io.atomic import write_text
from withhold.io.tables import TableWriter, digest, table_batches

_JOURNAL = "journal.json"


class Journal:
    """The finished parts of one run.

    Parameters
    ----------
    target : Path
        The file the run is to write.
    identity : mapping
        JSON values that name the source, the transform and the settings; parts of a run with others are removed.
    """

    def __init__(self, target: Path, identity: Mapping[str, Any]) -> None:
        self.folder = target.parent / f".{target.name}.withhold-parts"
        self._identity = dict(identity)
        self._parts = self._left_behind()
        if not self._parts:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.rows = sum(int(part["rows"]) for part in self._parts)

    @property
    def parts(self) -> int:
        """Number of finished parts."""
        return len(self._parts)

    def add(self, batches: list[pa.Table]) -> None:
        """Store one finished part."""
        self.folder.mkdir(exist_ok=True)
        path = self._path(len(self._parts))
        with TableWriter(path, batches[0].schema) as writer:
            for batch in batches:
                writer.write(batch)
        self._parts.append({"rows": writer.rows, "sha256": digest(path)})
        self.rows += writer.rows
        content = {"identity": self._identity, "parts": self._parts}
        write_text(self.folder / _JOURNAL, json.dumps(content, indent=1))

    def batches(self, rows: int) -> Iterator[pa.Table]:
        """Yield all finished records in order."""
        for number in range(len(self._parts)):
            for batch in table_batches(self._path(number), rows):
                yield pa.Table.from_batches([batch])

    def remove(self) -> None:
        """Delete the work folder, the journal first, so that what a kill leaves is not taken for parts."""
        (self.folder / _JOURNAL).unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _left_behind(self) -> list[dict[str, Any]]:
        try:
            content = json.loads((self.folder / _JOURNAL).read_text(encoding="utf-8"))
            if content["identity"] != json.loads(json.dumps(self._identity)):
                return []
            intact = []
            for number, part in enumerate(content["parts"]):
                if digest(self._path(number)) != part["sha256"]:
                    break
                intact.append({"rows": int(part["rows"]), "sha256": str(part["sha256"])})
        except (OSError, ValueError, KeyError, TypeError, WithholdError):
            return []
        return intact

    def _path(self, number: int) -> Path:
        return self.folder / f"part-{number:06d}.feather"
