// What is read off an address.

/** The host, with its port where one is named; `otherwise` where the text is no address. */
export function hostOf(url: string, otherwise = url): string {
  return URL.canParse(url) ? new URL(url).host : otherwise
}
