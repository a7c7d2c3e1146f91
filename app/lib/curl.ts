// A forwarded event as a curl command, for developers to send to their own machine or to reproduce a delivery.

interface CurlRequest {
  url: string
  headers: Record<string, string>
  body: string
}

/** For a POSIX shell. Quotes every part, because a body may contain anything. */
export function curlCommand({ url, headers, body }: CurlRequest): string {
  const lines = [
    `curl -X POST ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ]
  return lines.join(' \\\n  ')
}

/** In single quotes a shell takes every character literally; only the quote itself must be written outside. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
