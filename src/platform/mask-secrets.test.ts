import { createHash, randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskSecrets } from "./mask-secrets.ts";

// Put together here, so that no scanner takes this file for a leak.
const j = (...pieces: readonly string[]) => pieces.join("");
const random = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA3";

const secrets: readonly (readonly [name: string, secret: string])[] = [
  ["an OpenAI key", j("sk", "-", "4f9a1c7e2b8d4f9a1c7e2b8d4f9a1c7e")],
  ["an OpenAI project key", j("sk-", "proj-", random, "_", random)],
  ["an Anthropic key", j("sk-", "ant-api03-", random, "-", random, "AA")],
  ["an OpenRouter key", j("sk-", "or-v1-", "4f9a1c7e2b8d4f9a".repeat(4))],
  ["a GitHub token", j("gh", "p_", random)],
  ["a GitHub app token", j("gh", "s_", random)],
  ["a fine-grained GitHub token", j("github", "_pat_11ABCDE0000_", random)],
  ["a GitLab token", j("gl", "pat-", "aB3dE5fG7hJ9kL1mN2pQ")],
  ["an AWS key id", j("AK", "IAIOSFODNN7EXAMPLE")],
  ["a Google key", j("AI", "za", "SyD3x4mpl3K3yW1thThirtyF1veCh4r5xyz")],
  ["a Slack token", j("xo", "xb-123456789012-1234567890123-", "AbCdEfGhIjKlMnOpQrStUvWx")],
  ["a Stripe key", j("sk", "_live_", "4f9a1c7e2b8d4f9a1c7e2b8d")],
  ["an npm token", j("np", "m_", random)],
  ["a Hugging Face token", j("h", "f_", "abcdefghijklmnopqrstuvwxyzABCDEFGH")],
  ["a Groq key", j("gs", "k_", random)],
  ["a SendGrid key", j("S", "G.", "aB3dE5fG7hJ9kL1mN2pQ4r.", random)],
  [
    "a web token",
    j(
      "ey",
      "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey",
      "JzdWIiOiIxMjM0NTY3ODkwIn0.",
      "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    ),
  ],
];

const places = (secret: string): readonly string[] => [
  secret,
  `the key is ${secret}, keep it`,
  `const key = "${secret}";`,
  `curl -H 'X-Thing: ${secret}' https://example.com`,
  JSON.stringify({ command: `export K='${secret}'\necho` }),
  `?access=${secret}&x=1`,
];

describe("a secret with a shape of its own", () => {
  it.each(secrets)("goes wherever it stands: %s", (_name, secret) => {
    for (const text of places(secret)) {
      const masked = maskSecrets(text);
      expect(masked).toContain("[masked]");
      expect(masked).not.toContain(secret.slice(-12));
    }
  });

  it("leaves what tells whose it was", () => {
    expect(maskSecrets(`token ${j("gh", "p_", random)}.`)).toBe("token ghp_[masked].");
  });

  it("goes as a whole private key, also with line numbers, as JSON, and when its end is missing", () => {
    const body = Array.from({ length: 4 }, (_, n) => random.repeat(2).slice(n, n + 64));
    const [begin, end] = [j("-----BEGIN RSA PRI", "VATE KEY-----"), j("-----END RSA PRI", "VATE KEY-----")];
    const key = [begin, ...body, end].join("\n");
    const numbered = key
      .split("\n")
      .map((line, n) => `${n}\t${line}`)
      .join("\n");
    const diff = key
      .split("\n")
      .map((line) => `+${line}`)
      .join("\n");
    for (const text of [key, numbered, diff, JSON.stringify({ key }), [begin, ...body].join("\n")]) {
      const masked = maskSecrets(`before ${text} after`);
      expect(masked).toMatch(/^before .*BEGIN RSA/);
      for (const line of body) expect(masked).not.toContain(line.slice(0, 20));
    }
    expect(maskSecrets(`before ${key} after`)).toMatch(/END RSA .*-----.* after$/s);
  });
});

describe("a secret told by its name", () => {
  it.each([
    ["OPENAI_API_KEY=abcdefgh12", "OPENAI_API_KEY=[masked]"],
    ["export GITHUB_TOKEN='correct-horse-battery'", "export GITHUB_TOKEN='[masked]'"],
    ["DB_PASSWORD: hunter2hunter", "DB_PASSWORD: [masked]"],
    ['"password": "s3cr3t-pa55!"', '"password": "[masked]"'],
    [
      `aws_secret_access_key = ${j("wJalrXUtnFEMI/K7MDENG/bPxRfi", "CYEXAMPLEKEY")}`,
      "aws_secret_access_key = [masked]",
    ],
    ["apiKey: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'", "apiKey: '[masked]'"],
    ['{\\"auth_token\\": \\"9f86d081884c7d65\\"}', '{\\"auth_token\\": \\"[masked]\\"}'],
    ["mysql --password=Tr0ub4dor3xY --host db", "mysql --password=[masked] --host db"],
    ["client_secret=4f9a1c7e2b8d4f9a&grant_type=x", "client_secret=[masked]&grant_type=x"],
    ["tool --token 4f9a1c7e2b8d4f9a run", "tool --token [masked] run"],
  ])("goes: %s", (text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });

  it.each([
    ["Authorization: Bearer abc123def456", "Authorization: Bearer [masked]"],
    ['headers: { "authorization": "Basic dXNlcjpwYXNz" }', 'headers: { "authorization": "Basic [masked]" }'],
    ["x-api-key: 4f9a1c7e2b8d4f9a", "x-api-key: [masked]"],
    ["-H 'Proxy-Authorization: token 4f9a1c7e2b'", "-H 'Proxy-Authorization: token [masked]'"],
    ["postgres://app:pa55word@db:5432/x", "postgres://app:[masked]@db:5432/x"],
    ["https://4f9a1c7e2b8d4f9a1c7e2b8d@github.com/x", "https://[masked]@github.com/x"],
  ])("goes from headers and addresses: %s", (text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });
});

describe("what is no secret", () => {
  it.each([
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "id f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    '"integrity": "sha512-1r7CpZ6vPz5QGCxqGxL5y4Nq7Y2bVZsWkq0oP0p0p0p0p0p0=="',
    "const token = tokens[index];",
    "token: Token;",
    "if (token.type === 'identifier2') return parseToken2(token);",
    "maxTokens: 128000, inputTokens = 3141592653",
    "password: string, secret?: boolean",
    "apiKey: settings.apiKey",
    "const apiKey = process.env.OPENAI_API_KEY;",
    "apiKey: config.auth2.v1Token",
    "const TOKEN=read1Token2From3(path)",
    'password: "at least 8 characters, please"',
    "OPENAI_API_KEY=$OPENAI_API_KEY",
    "OPENAI_API_KEY=<your key>",
    "API_KEY=your-api-key-here",
    "Authorization: Bearer ${token}",
    "The Authorization header carries a bearer token for authentication.",
    '<div class="sk-toggleable__content-label-arrow sk-container-id">',
    "npm_config_registry_and_some_more_words=1",
    "https://example.com/a:b@c",
    "git@github.com:owner/repository.git",
    "secret: true, credentials: 'include'",
    "-----BEGIN PUBLIC KEY----- is not private",
    'if (text.includes("-----BEGIN PRIVATE KEY-----")) refuse();',
    "src/session/token-meter.test.ts:12: tokenMeter2.add(3)",
    "session 20261115-064917-d1ozgreb of this folder",
    "a secret that nobody knows, a token of love, passwords are bad",
  ])("stays as it is: %s", (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  it("stays when it is an image, a hash or an id, whatever its letters", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 64, maxLength: 4_000 }), (bytes) => {
        const image = `data:image/png;base64,${Buffer.from(bytes).toString("base64")}`;
        const hash = createHash("sha256").update(bytes).digest("hex");
        for (const text of [image, hash, `${hash}  file.txt`, randomUUID()]) expect(maskSecrets(text)).toBe(text);
      }),
    );
  });
});

describe("masking", () => {
  it("once is enough", () => {
    for (const [, secret] of secrets)
      for (const text of places(secret)) expect(maskSecrets(maskSecrets(text))).toBe(maskSecrets(text));
    const texts = [
      "API_KEY=abcdefgh12",
      "Authorization: Bearer abc123def456",
      "a://b:c@d",
      '"password": "s3cr3t-pa55!"',
    ];
    for (const text of texts) expect(maskSecrets(maskSecrets(text))).toBe(maskSecrets(text));
  });

  it("takes time in proportion to the text, also when it is made to be slow", () => {
    const hostile = [
      "sk-",
      "token",
      'password="',
      "-----BEGIN PRIVATE KEY-----",
      "://a",
      "eyJ",
      "eyJaaaaaaaa.",
      "api-key: ",
      "a",
    ];
    const time = (text: string) => {
      const startedAt = performance.now();
      maskSecrets(text);
      return performance.now() - startedAt;
    };
    for (const piece of hostile) expect(time(piece.repeat(2_000_000 / piece.length))).toBeLessThan(3_000);
  });
});
