/** Standard input and output as web streams; loaded only for those who speak a protocol over them. */
export async function standardStreams(): Promise<{
  readonly output: WritableStream<Uint8Array>;
  readonly input: ReadableStream<Uint8Array>;
}> {
  const { Readable, Writable } = await import("node:stream");
  return {
    output: Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
    input: Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
  };
}
