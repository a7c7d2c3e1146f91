import { expect, it } from 'vitest'
import { readTracingSettings } from './tracing-settings.ts'

function read(given: Parameters<typeof readTracingSettings>[0]) {
  const problems: string[] = []
  return { settings: readTracingSettings(given, problems), problems }
}

it('without a collector nothing is traced, whatever else is set', () => {
  const given = { OTEL_SERVICE_NAME: 'hooks', OTEL_EXPORTER_OTLP_HEADERS: 'not a header' }
  expect(read(given)).toEqual({ settings: null, problems: [] })
})

it('the collector, its headers and the name are read as OpenTelemetry writes them', () => {
  const given = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com/otlp/',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=abc%3D%2C, authorization=Basic%20dGVzdA==',
  }
  expect(read(given)).toEqual({
    settings: {
      endpoint: 'https://collector.example.com/otlp',
      serviceName: 'fieldhook',
      headers: { 'x-key': 'abc=,', authorization: 'Basic dGVzdA==' },
    },
    problems: [],
  })
  const named = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', OTEL_SERVICE_NAME: 'hooks' }
  expect(read(named).settings).toEqual({ endpoint: 'http://localhost:4318', serviceName: 'hooks', headers: {} })
})

it.each(['localhost:4318', 'ftp://collector/', 'http://user:pass@collector/', 'http://collector/?key=1', 'nonsense'])(
  'the collector %s is refused with a sentence',
  (endpoint) => {
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toEqual({
      settings: null,
      problems: ['OTEL_EXPORTER_OTLP_ENDPOINT must be an address of a collector, such as http://localhost:4318.'],
    })
  },
)

it.each(['novalue', '=x', 'a b=c', 'a=%ZZ', 'a=%0A'])(
  'the headers %s are refused without being repeated',
  (headers) => {
    const given = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', OTEL_EXPORTER_OTLP_HEADERS: headers }
    expect(read(given).problems).toEqual([
      'OTEL_EXPORTER_OTLP_HEADERS must be name=value, separated by commas, with special characters as %XX.',
    ])
  },
)
