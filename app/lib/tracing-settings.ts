// Reads the trace destination. The variables are OpenTelemetry's own, which operators with a collector already know.

export interface TracingSettings {
  /** Base address of the collector, without a trailing slash; spans go to `/v1/traces` below it. */
  endpoint: string
  serviceName: string
  headers: Record<string, string>
}

interface TracingVariables {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  OTEL_EXPORTER_OTLP_HEADERS?: string | undefined
  OTEL_SERVICE_NAME?: string | undefined
}

/** Null = no collector is configured, and tracing is off. Adds a sentence to `problems` for each mistake. */
export function readTracingSettings(given: TracingVariables, problems: string[]): TracingSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = given
  if (!endpoint) return null
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
    problems.push('OTEL_EXPORTER_OTLP_ENDPOINT must be an address of a collector, such as http://localhost:4318.')
    return null
  }
  return {
    endpoint: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    serviceName: given.OTEL_SERVICE_NAME || 'fieldhook',
    headers: readHeaders(headers ?? '', problems),
  }
}

/** `name=value,name=value`, values percent-encoded. */
function readHeaders(text: string, problems: string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const entry of text.split(',').filter((part) => part.trim() !== '')) {
    const [, name = '', value = ''] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(entry) ?? []
    const decoded = decode(value)
    if (name === '' || decoded === null || !/^[\t\x20-\x7e]*$/.test(decoded)) {
      problems.push(
        'OTEL_EXPORTER_OTLP_HEADERS must be name=value, separated by commas, with special characters as %XX.',
      )
      return {}
    }
    headers[name] = decoded
  }
  return headers
}

function decode(value: string): string | null {
  try {
    return decodeURIComponent(value)
  } catch {
    return null
  }
}
