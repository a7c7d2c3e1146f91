// One forwarded event as a command a developer can run: to send it to their own machine, or to see what we see.

interface CurlRequest {
  url: string
  headers: Record<string, string>
  body: string
}

/** For a POSIX shell. Every part is quoted: a body may contain anything. */
export function curlCommand({ url, headers, body }: CurlRequest): string {
  const lines = [
    `curl -X POST ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ]
  return lines.join(' \\\n  ')
}

/** Inside single quotes a shell reads everything as it stands; only the quote itself has to step outside. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
