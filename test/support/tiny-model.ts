import { Buffer } from "node:buffer";

/**
 * A model file (GGUF) of 2 MB for a real llama.cpp server: a machine that knows for each token which one follows. Asked anything it calls
 * `read_file` on `note.txt`; after a tool's result it says `tinyAnswer`. No training, no chance, the same on every machine.
 */
export const tinyAnswer = "The note was read by a real server.";

const kind = { unknown: 2, control: 3, own: 4, byte: 6 } as const;
type Token = readonly [text: string, kind: number];

const call = [
  "<tool_call>",
  '\n{"name":',
  ' "read_file",',
  ' "arguments":',
  ' {"file_path":',
  ' "note.txt"}}',
  "\n</tool_call>",
];
const answer = ["The note", " was read", " by a real", " server."];

const bytes = Array.from(
  { length: 256 },
  (_, byte): Token => [`<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`, kind.byte],
);
const tokens: readonly Token[] = [
  ["<unk>", kind.unknown],
  ["<s>", kind.control],
  ["</s>", kind.control],
  ...bytes,
  ...["<|im_start|>", "<|im_end|>", "<|go|>", "<|after|>"].map((text): Token => [text, kind.control]),
  ...[...call, ...answer].map((text): Token => [text, kind.own]),
];
const idOf = (text: string) => tokens.findIndex(([known]) => known === text);
const end = idOf("<|im_end|>");
/** A place of its own for every token. */
const width = Math.ceil(tokens.length / 32) * 32;

const template = `{%- if tools %}
{{- '<|im_start|>system\\n' }}
{%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{%- endif %}
{{- "# Tools\\n\\nYou are provided with function signatures within <tools></tools> XML tags:\\n<tools>" }}
{%- for tool in tools %}{{- "\\n" }}{{- tool | tojson }}{%- endfor %}
{{- "\\n</tools>\\n\\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\\n<tool_call>\\n{\\"name\\": <function-name>, \\"arguments\\": <args-json-object>}\\n</tool_call><|im_end|>\\n" }}
{%- elif messages[0].role == 'system' %}{{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == "user" or (message.role == "system" and not loop.first) %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- elif message.role == "assistant" %}
{{- '<|im_start|>assistant\\n' }}{%- if message.content %}{{- message.content }}{%- endif %}
{%- if message.tool_calls %}{%- for tool_call in message.tool_calls %}
{%- if tool_call.function %}{%- set tool_call = tool_call.function %}{%- endif %}
{{- '<tool_call>\\n{"name": "' }}{{- tool_call.name }}{{- '", "arguments": ' }}{{- tool_call.arguments | tojson }}{{- '}\\n</tool_call>' }}
{%- endfor %}{%- endif %}{{- '<|im_end|>\\n' }}
{%- elif message.role == "tool" %}
{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- if messages[-1].role == 'tool' %}{{- '<|after|>' }}{%- else %}{{- '<|go|>' }}{%- endif %}{%- endif %}`;

const u32 = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer);
const u64 = (value: number) => Buffer.from(BigUint64Array.from([BigInt(value)]).buffer);
const f32 = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer);
const text = (value: string) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const padded = (data: Buffer) => Buffer.concat([data, Buffer.alloc((32 - (data.length % 32)) % 32)]);

/** The types of values, by the numbers that the format gives them. */
const facts = {
  count: (value: number) => [u32(4), u32(value)],
  small: (value: number) => [u32(6), f32(value)],
  flag: (value: 0 | 1) => [u32(7), Buffer.from([value])],
  text: (value: string) => [u32(8), text(value)],
  list: (type: number, items: readonly Buffer[]) => [u32(9), u32(type), u64(items.length), ...items],
};

function description(): Readonly<Record<string, readonly Buffer[]>> {
  const heads = width / 32;
  return {
    "general.architecture": facts.text("llama"),
    "llama.block_count": facts.count(1),
    "llama.context_length": facts.count(65_536),
    "llama.embedding_length": facts.count(width),
    "llama.feed_forward_length": facts.count(32),
    "llama.attention.head_count": facts.count(heads),
    "llama.attention.head_count_kv": facts.count(heads),
    "llama.attention.layer_norm_rms_epsilon": facts.small(1e-5),
    "llama.rope.dimension_count": facts.count(32),
    "llama.vocab_size": facts.count(tokens.length),
    "tokenizer.ggml.model": facts.text("llama"),
    "tokenizer.ggml.tokens": facts.list(
      8,
      tokens.map(([token]) => text(token)),
    ),
    "tokenizer.ggml.scores": facts.list(
      6,
      tokens.map(() => f32(0)),
    ),
    "tokenizer.ggml.token_type": facts.list(
      5,
      tokens.map(([, type]) => u32(type)),
    ),
    "tokenizer.ggml.bos_token_id": facts.count(1),
    "tokenizer.ggml.eos_token_id": facts.count(end),
    "tokenizer.ggml.unknown_token_id": facts.count(0),
    "tokenizer.ggml.add_bos_token": facts.flag(0),
    "tokenizer.ggml.add_space_prefix": facts.flag(0),
    "tokenizer.chat_template": facts.text(template),
  };
}

type Tensor = { readonly name: string; readonly shape: readonly number[]; readonly data: Float32Array };

/** Attention and feed-forward do nothing: what goes in comes out, and the last matrix looks up what follows it. */
function tensors(): readonly Tensor[] {
  const zero = (name: string, ...shape: number[]): Tensor => ({
    name,
    shape,
    data: new Float32Array(shape.reduce((product, size) => product * size, 1)),
  });
  const one = (name: string): Tensor => ({ name, shape: [width], data: new Float32Array(width).fill(1) });
  const embedding = zero("token_embd.weight", width, tokens.length);
  const output = zero("output.weight", width, tokens.length);
  const next = new Map<number, number>();
  for (const chain of [
    ["<|go|>", ...call],
    ["<|after|>", ...answer],
  ])
    for (const [at, token] of chain.entries())
      next.set(idOf(token), at + 1 < chain.length ? idOf(chain[at + 1]!) : end);
  for (const id of tokens.keys()) {
    embedding.data[id * width + id] = 1;
    output.data[(next.get(id) ?? end) * width + id] = 1;
  }
  const square = ["attn_q", "attn_k", "attn_v", "attn_output"].map((name) =>
    zero(`blk.0.${name}.weight`, width, width),
  );
  const norms = [one("output_norm.weight"), one("blk.0.attn_norm.weight"), one("blk.0.ffn_norm.weight")];
  const feed = [
    zero("blk.0.ffn_gate.weight", width, 32),
    zero("blk.0.ffn_up.weight", width, 32),
    zero("blk.0.ffn_down.weight", 32, width),
  ];
  return [embedding, output, ...norms, ...square, ...feed];
}

export function tinyModel(): Buffer {
  const described = Object.entries(description());
  const all = tensors();
  let offset = 0;
  const infos = all.flatMap(({ name, shape, data }) => {
    const info = [text(name), u32(shape.length), ...shape.map(u64), u32(0), u64(offset)];
    offset += Math.ceil(data.byteLength / 32) * 32;
    return info;
  });
  const head = [Buffer.from("GGUF"), u32(3), u64(all.length), u64(described.length)];
  const pairs = described.flatMap(([key, value]) => [text(key), ...value]);
  return Buffer.concat([
    padded(Buffer.concat([...head, ...pairs, ...infos])),
    ...all.map(({ data }) => padded(Buffer.from(data.buffer))),
  ]);
}
