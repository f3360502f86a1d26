/**
 * Vendors say "too long" in many words. Decided in this order: what an explicit code says, what it certainly is not (limits on requests a
 * minute, on the answer, on one field), then the wording. An overflow mistaken for something else is retried for ever; something else
 * mistaken for an overflow costs a needless compaction.
 */

const codes =
  /"(?:code|type|status)"\s*:\s*"(?:context_length_exceeded|exceed_context_size_error|request_too_large|model_context_window_exceeded|context_window_exceeded)"/i;

const otherLimits =
  /rate.?limit|throttl|quota|billing|credit|per[ -](?:minute|min|day|hour|second)|\b[TR]PM\b|please wait|try again (?:in|later)|tool_use|tool_result|string too long|array too long|invalid_value|value for `?max_tokens|range of `?max_tokens|(?:invalid|valid range of) `?max_tokens/i;

const wordings = [
  /maximum (?:context|prompt|input|sequence) length/i,
  /context (?:length|window|size|limit)[^.]{0,40}exceed/i,
  /exceed[^.]{0,60}context (?:length|window|size|limit)/i,
  /exceed[^.]{0,40}(?:maximum number of tokens|max(?:imum)? (?:input )?tokens|model token limit|token limit)/i,
  /(?:prompt|input|request|messages?|conversation)[^.]{0,40} (?:is|are) too (?:long|large)/i,
  /too (?:long|large) for (?:the )?(?:requested )?model/i,
  /longer than the model'?s context/i,
  /greater than the (?:model'?s )?context length/i,
  /reduce (?:the length of )?(?:the |your )?(?:messages|prompt|input|conversation)/i,
  /range of input length/i,
  /max_tokens must be at least 1, got -\d+/i,
  /(?:request entity|payload|content) too large/i,
];

export function isContextOverflow(status: number | undefined, body: string): boolean {
  if (codes.test(body)) return true;
  if (otherLimits.test(body)) return false;
  return status === 413 || wordings.some((wording) => wording.test(body));
}

/** The limit the vendor names, if it names one. */
export function statedLimit(body: string): number | undefined {
  const stated =
    /(?:maximum (?:context|prompt) length (?:is|of)|tokens allowed \(|"n_ctx"\s*:|context (?:window|length|size) of|tokens? > |length should be \[1,)\s*\(?(\d{3,8})/i.exec(
      body,
    )?.[1];
  return stated === undefined ? undefined : Number(stated);
}
