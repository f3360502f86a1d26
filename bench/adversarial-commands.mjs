// Commands made to take long: what a hostile or confused model could send. Name and text of each.
const wrap = (depth, open, inside, close) => open.repeat(depth) + inside + close.repeat(depth);
const list = (count, make) => Array.from({ length: count }, (_, at) => make(at));

function* nested(depth) {
  yield [`${depth} subshells`, wrap(depth, "(", "ls", ")")];
  yield [`${depth} spaced subshells`, wrap(depth, "( ", "ls", " ; )")];
  yield [`${depth} substitutions`, wrap(depth, "echo $(", "ls", ")")];
  yield [`${depth} quoted substitutions`, wrap(depth, 'echo "$(', "ls", ')"')];
  yield [`${depth} braces groups`, wrap(depth, "{ ", "ls", "; }")];
  yield [`${depth} ifs`, wrap(depth, "if true; then ", "ls", "; fi")];
  yield [`${depth} loops`, wrap(depth, "while true; do ", "cd x", "; done")];
  yield [`${depth} for loops`, wrap(depth, "for i in a b c; do cd $i; ", "ls", "; done")];
  yield [`${depth} arithmetic`, `echo $((${wrap(depth, "(", "1", ")")}))`];
  yield [`${depth} parameters`, `echo ${wrap(depth, "${x:-", "y", "}")}`];
  yield [`${depth} process substitutions`, wrap(depth, "cat <(", "ls", ")")];
  yield [`${depth} evals`, `${"eval ".repeat(depth)}ls`];
  yield [`${depth} wrappers`, `${"env nice timeout 5 ".repeat(depth)}ls`];
  yield [`${depth} functions`, wrap(depth, "f() { ", "ls", "; }")];
  yield [`${depth} cases`, wrap(depth, "case x in x) ", "ls", ";; esac")];
  yield [`${depth} open brackets`, "(".repeat(depth)];
  yield [`${depth} open substitutions`, "$(".repeat(depth)];
  yield [`${depth} open parameters`, "${x:-".repeat(depth)];
  yield [`${depth} open here-documents`, "cat <<A ".repeat(depth)];
  yield [`${depth} tests`, `[[ ${wrap(depth, "( ", "-f x", " )")} ]]`];
}

function* many(count) {
  yield [`${count} pipes`, list(count, () => "cat").join(" | ")];
  yield [`${count} parts`, list(count, (at) => `ls d${at}`).join("; ")];
  yield [`${count} ands`, list(count, (at) => `cd d${at}`).join(" && ")];
  yield [`${count} ors`, list(count, (at) => `cd d${at} || cd e${at}`).join("; ")];
  yield [`${count} folders`, list(count, (at) => `cd d${at}; rm -rf x`).join("; ")];
  yield [`${count} variables`, `${list(count, (at) => `v${at}=$v${at - 1}x`).join("; ")}; echo $v${count - 1}`];
  yield [`${count} doublings`, `a=xx; ${list(count, () => 'a="$a$a"').join("; ")}; rm -rf "$a"`];
  yield [`${count} words`, `ls ${list(count, (at) => `w${at}`).join(" ")}`];
  yield [`${count} paths`, `rm ${list(count, (at) => `a/b/c/d${at}/../e`).join(" ")}`];
  yield [`${count} globs`, `ls ${list(count, (at) => `*a?[b${at}]*`).join(" ")}`];
  yield [`${count} stars`, `cat ${"*a".repeat(count)}`];
  yield [`${count} stars to delete`, `rm ${"a*".repeat(count)}`];
  yield [`${count} braces`, `echo ${"{a,b}".repeat(count)}`];
  yield [`${count} choices`, `rm -rf {${list(count, (at) => `d${at}`).join(",")}}`];
  yield [`${count} nested braces`, `echo ${wrap(count, "{a,", "b", "}")}`];
  yield [`${count} sequences`, `echo ${list(count, () => "{1..999999}").join("")}`];
  yield [`${count} redirections`, `ls ${list(count, (at) => `> f${at}`).join(" ")}`];
  yield [
    `${count} here-documents`,
    `cat ${list(count, (at) => `<<E${at}`).join(" ")}\n${list(count, (at) => `x\nE${at}\n`).join("")}`,
  ];
  yield [`${count} assignments`, `${list(count, (at) => `A${at}=1`).join(" ")} ls`];
  yield [`${count} options`, `ls ${list(count, () => "-l").join(" ")}`];
  yield [`${count} sed parts`, `sed '${list(count, (at) => `s/a${at}/b/g`).join(";")}' f`];
  yield [`${count} awk parts`, `awk '${list(count, (at) => `{print $${at}}`).join(" ")}' f`];
  yield [`${count} find runs`, `find . ${list(count, () => "-exec rm {} \\;").join(" ")}`];
  yield [`${count} find roots`, `find ${list(count, (at) => `r${at}`).join(" ")} -exec env nice rm -rf {} \\;`];
  yield [`${count} blanks`, `ls${" ".repeat(count)}; rm -rf /`];
  yield [`${count} backslashes`, `ls ${"\\".repeat(count)}`];
  yield [`${count} continued lines`, `ls ${"\\\n".repeat(count)}`];
  yield [`${count} single quotes`, "'".repeat(count)];
  yield [`${count} double quotes`, '"'.repeat(count)];
  yield [`${count} quoted pieces`, `echo ${"'a'\"b\"".repeat(count)}`];
  yield [`${count} backquotes`, "`".repeat(count)];
  yield [`${count} escaped backquotes`, `echo ${"\\`".repeat(count)}`];
  yield [`${count} dollars`, `echo ${"$".repeat(count)}`];
  yield [`${count} expansions`, `echo ${"$x".repeat(count)}`];
  yield [`${count} tildes`, `echo ${"~".repeat(count)}`];
  yield [`${count} comments`, list(count, () => "# comment").join("\n")];
  yield [`${count} newlines`, "\n".repeat(count)];
  yield [`${count} semicolons`, ";".repeat(count)];
  yield [`${count} ampersands`, "& ".repeat(count)];
  yield [`${count} angle brackets`, "<".repeat(count)];
  yield [`${count} bangs`, `${"! ".repeat(count)}ls`];
  yield [`${count} equals`, `ls ${"=".repeat(count)}`];
  yield [`${count} slashes`, `rm ${"/".repeat(count)}`];
  yield [`${count} ups`, `rm -rf ${"../".repeat(count)}`];
  yield [`${count} deep path`, `rm -rf ${"a/".repeat(count)}`];
  yield [`${count} elifs`, `if a; then b; ${list(count, (at) => `elif c${at}; then cd d${at};`).join(" ")} fi`];
  yield [`${count} case items`, `case x in ${list(count, (at) => `a${at}) cd d${at};;`).join(" ")} esac`];
  yield [`${count} functions`, list(count, (at) => `f${at}() { f${at + 1} | f${at + 1}; }`).join("; ")];
  yield [`${count} background parts`, list(count, () => "sleep 1 &").join(" ")];
  yield [`${count} unknown words`, `foo ${list(count, (at) => `sudo -X${at} rm`).join(" ")}`];
  yield [`${count} sudo options`, `sudo ${list(count, (at) => `-X${at}`).join(" ")} rm -rf /`];
  yield [`${count} xargs`, `${"xargs -I{} ".repeat(count)}rm`];
  yield [`${count} accents`, `echo ${"e\u0301".repeat(count)}`];
  yield [`${count} unicode blanks`, `ls${"\u00a0".repeat(count)}`];
  yield [`${count} nul bytes`, `ls ${"\0".repeat(count)}`];
  yield [`${count} surrogates`, `ls ${"\ud800".repeat(count)}`];
  yield [`${count} git options`, `git ${list(count, (at) => `-c a${at}=b`).join(" ")} status`];
  yield [`${count} array items`, `a=(${list(count, (at) => `$b${at}`).join(" ")}); echo "\${a[@]}"`];
  yield [`${count} arithmetic terms`, `echo $((${list(count, () => "1").join("+")}))`];
  yield [`${count} test terms`, `[[ ${list(count, () => "-f x").join(" && ")} ]]`];
}

function* long(bytes) {
  const text = "some words of a document $x `id` \"quoted\" 'single' (a) {b}\n"
    .repeat(Math.ceil(bytes / 58))
    .slice(0, bytes);
  yield [`${bytes} bytes of quoted document`, `cat > f.md <<'EOF'\n${text}\nEOF`];
  yield [`${bytes} bytes of document`, `cat > f.md <<EOF\n${text}\nEOF`];
  yield [`${bytes} bytes of script`, `bash <<'EOF'\n${text}\nEOF`];
  yield [`${bytes} bytes of program`, `python3 - <<'EOF'\n${text}\nEOF`];
  yield [`${bytes} bytes without an end`, `cat <<'EOF'\n${text}`];
  yield [`${bytes} bytes in single quotes`, `echo '${text.replaceAll("'", "")}'`];
  yield [`${bytes} bytes in double quotes`, `echo "${text.replaceAll('"', "")}"`];
  yield [`${bytes} bytes in ansi quotes`, `echo $'${text.replaceAll("'", "\\n")}'`];
  yield [`${bytes} bytes of a script in quotes`, `bash -c '${text.replaceAll("'", "")}'`];
  yield [`${bytes} bytes of one word`, `rm ${"a".repeat(bytes)}`];
  yield [`${bytes} bytes of rm`, "rm ".repeat(bytes / 3)];
  yield [`${bytes} bytes of one sed script`, `sed 's/${"a".repeat(bytes)}/b/' f`];
  yield [`${bytes} bytes of one awk program`, `awk '{ print "${"a".repeat(bytes)}" }' f`];
  yield [`${bytes} bytes of text`, text];
}

/** Sizes from harmless to far beyond every limit. */
export function* adversarialCommands() {
  for (const depth of [8, 40, 200, 1000, 10_000]) yield* nested(depth);
  for (const count of [20, 64, 200, 500, 1000, 3000, 20_000]) yield* many(count);
  for (const bytes of [1000, 5000, 9000, 20_000, 49_000, 100_000, 1_000_000]) yield* long(bytes);
}
