import { ProviderError } from "../../contracts/errors.ts";
import { named, type ProxyServer } from "./proxy.ts";

/** What went wrong before an answer, in words: passing troubles are "network", those that trying again does not mend are "unreachable". */
export function networkError(target: URL, error: Error, proxy?: ProxyServer): ProviderError {
  const where = proxy === undefined ? target.origin : `${named(proxy)} on the way to ${target.host}`;
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const lasting = lastingTrouble(code, error.message);
  if (lasting !== undefined)
    return new ProviderError("unreachable", `cannot reach ${where}: ${lasting}`, { cause: error });
  const advice = proxy === undefined ? "" : `. Check its address, or name ${target.hostname} in NO_PROXY`;
  return new ProviderError("network", `cannot reach ${where}: ${passingTrouble(code, error)}${advice}`, {
    cause: error,
  });
}

function passingTrouble(code: string, error: Error): string {
  if (code === "ECONNREFUSED") return "the connection was refused";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "the host name cannot be resolved";
  return error.message || code || "the connection failed";
}

const unknownIssuer = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_UNTRUSTED",
]);

function lastingTrouble(code: string, message: string): string | undefined {
  if (unknownIssuer.has(code))
    return `its certificate is not trusted (${message}). If you trust it, set NODE_EXTRA_CA_CERTS to a PEM file with the certificate that signed it, and start again`;
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return `${message}. Check this machine's clock, or have the certificate renewed`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `${message} Use a name that the certificate is for`;
  if (code.startsWith("CERT_") || code === "ERR_TLS_CERT_SIGNATURE_ALGORITHM_UNSUPPORTED")
    return `its certificate is not valid (${message})`;
  if (/wrong version number|packet length too long|http request/i.test(message))
    return "it does not speak TLS at this port. Perhaps its address begins with http:// instead of https://";
  return undefined;
}
