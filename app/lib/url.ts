// Reads parts of an address.

/** The host, with its port if there is one; `otherwise` when the text is not an address. */
export function hostOf(url: string, otherwise = url): string {
  return URL.canParse(url) ? new URL(url).host : otherwise
}
