// Reads parts of an address.

/** Adds the `https://` that people leave out: `hooks.zapier.com/abc`. Other text stays as it is. */
export function withScheme(text: string): string {
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+(?=[/?:]|$)/i.test(text) ? `https://${text}` : text
}

/** The host, with its port if there is one; `otherwise` when the text is not an address. */
export function hostOf(url: string, otherwise = url): string {
  return URL.canParse(url) ? new URL(url).host : otherwise
}
