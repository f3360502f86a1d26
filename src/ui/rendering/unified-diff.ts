/** One line of a unified diff, with its number in the file it is in. */
export type DiffEntry =
  | { readonly type: "file"; readonly text: string }
  | { readonly type: "gap"; readonly text: string }
  | { readonly type: "added" | "removed" | "same"; readonly text: string; readonly number: number }
  | { readonly type: "note"; readonly text: string };

/** Anything that is no diff comes out as notes: nothing is lost. */
export function readUnifiedDiff(diff: string): DiffEntry[] {
  const entries: DiffEntry[] = [];
  let [oldLine, newLine, oldLeft, newLeft] = [0, 0, 0, 0];
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/.exec(line);
    if (hunk) {
      [oldLine, newLine] = [Number(hunk[1]), Number(hunk[3])];
      [oldLeft, newLeft] = [Number(hunk[2] ?? 1), Number(hunk[4] ?? 1)];
      entries.push({ type: "gap", text: (hunk[5] ?? "").trim() });
    } else if (oldLeft > 0 || newLeft > 0) {
      const text = line.slice(1);
      // only counting tells a removed `-- comment` from the head of a file
      if (line[0] === "+") {
        entries.push({ type: "added", text, number: newLine++ });
        newLeft--;
      } else if (line[0] === "-") {
        entries.push({ type: "removed", text, number: oldLine++ });
        oldLeft--;
      } else if (line[0] === "\\") entries.push({ type: "note", text: text.trim() });
      else {
        entries.push({ type: "same", text, number: newLine++ });
        oldLine++;
        oldLeft--;
        newLeft--;
      }
    } else if (line.startsWith("\\ ")) entries.push({ type: "note", text: line.slice(2) });
    else if (/^\+\+\+ /.test(line)) addFile(entries, line);
    else if (
      !/^(?:--- |diff --git |index [\da-f]+\.\.|===+$|Index: |new file mode|deleted file mode)/.test(line) &&
      line !== ""
    )
      entries.push({ type: "note", text: line });
    else if (line.startsWith("--- ")) entries.push({ type: "file", text: pathIn(line) });
  }
  return entries;
}

/** The new name counts, except for a file that is gone. */
function addFile(entries: DiffEntry[], line: string): void {
  const path = pathIn(line);
  if (entries.at(-1)?.type === "file" && path !== "/dev/null") entries.pop();
  if (path !== "/dev/null") entries.push({ type: "file", text: path });
}

function pathIn(line: string): string {
  return (
    line
      .slice(4)
      .split("\t")[0]
      ?.replace(/^[ab]\//, "") ?? ""
  );
}
