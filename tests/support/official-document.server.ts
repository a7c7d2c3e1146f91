// For tests: the platform's published description of its REST calls, as the official client ships it. Lists the
// operations and reports errors in a call or its answer.
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

export type Json = Record<string, unknown>

export interface Operation {
  /** `createJobs`: also the name of the client's method. */
  id: string
  method: string
  /** `/job/{uuid}.json`, below `/api_1.0`. */
  path: string
  /** Name of the body's schema: `JobCreate`; '' without a body. */
  body: string
  /** The status of a successful answer. */
  status: number
}

/** Calls missing in the platform's published description: webhooks, messages, documents, bytes of files, histories. */
const NOT_DESCRIBED =
  /^\/(webhook_subscriptions|platform_\w+|unverified_feed)\b|^\/api_1\.0\/(attachment\/[^/]+\.file|(sms|email|notification)\.json)$/

interface Described {
  operationId: string
  requestBody?: { content: Record<string, { schema: { $ref?: string } }> }
  responses: Record<string, unknown>
}

interface Description {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, { properties?: Record<string, Json>; required?: string[] }> }
}

/** One call as it went over the wire. */
export interface Exchange {
  method: string
  /** With `/api_1.0`, without the query. */
  path: string
  /** The JSON sent, or undefined. */
  sent: unknown
  status: number
  /** The JSON answered, or undefined. */
  answer: unknown
}

const FILE = new URL('../../node_modules/servicem8/api.json', import.meta.url)
const NAME = 'official'

/** Reports errors in calls and answers, by the published description. */
export function readOfficialDocument() {
  const description = withNulls(JSON.parse(readFileSync(FILE, 'utf8'))) as Description
  const ajv = new Ajv2020({ strict: false, validateFormats: false, unicodeRegExp: false })
  ajv.addSchema({ $id: NAME, ...description })
  const compiled = new Map<string, ValidateFunction>()

  const operations = Object.entries(description.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, described]): Operation => {
      const content = Object.values(described.requestBody?.content ?? {})
      const status = Object.keys(described.responses).find((code) => code.startsWith('2'))
      return {
        id: described.operationId,
        method: verb.toUpperCase(),
        path,
        body: content[0]?.schema.$ref?.split('/').at(-1) ?? '',
        status: Number(status),
      }
    }),
  )

  function problems(pointer: string, value: unknown): string[] {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `${NAME}#${pointer}` })
    compiled.set(pointer, validate)
    if (validate(value)) return []
    return (validate.errors ?? [])
      .slice(0, 5)
      .map((one) => `${one.instancePath} ${one.message ?? ''} ${JSON.stringify(one.params)}`)
  }

  function operationOf(method: string, path: string): Operation | null {
    const below = path.replace(/^\/api_1\.0/, '')
    const fits = operations.filter((one) => {
      const pattern = one.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')
      return one.method === method && new RegExp(`^${pattern}$`, 'i').test(below)
    })
    return fits.sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0] ?? null
  }

  return {
    operations,
    /** The allowed fields of a body of that schema, as described. */
    fieldsOf: (schema: string): Record<string, Json> => description.components.schemas[schema]?.properties ?? {},
    operationOf,
    /**
     * Errors in words; empty when there are none. An update sends changed fields only, so a create's required fields
     * may be missing. The answer to an exceeded limit may be plain text.
     */
    problemsOf({ method, path, sent, status, answer }: Exchange): string[] {
      const operation = operationOf(method, path)
      if (!operation) return NOT_DESCRIBED.test(path) ? [] : [`${method} ${path} is not in the description`]
      const at = `/paths/${escaped(operation.path)}/${method.toLowerCase()}`
      const partial = /^update/.test(operation.id)
      const asked = operation.body === '' ? [] : problems(`/components/schemas/${operation.body}`, sent)
      const answered =
        status === 429 && answer === undefined
          ? []
          : status < 300 && status !== operation.status
            ? [`status ${status} instead of ${operation.status}`]
            : problems(
                status < 300
                  ? `${at}/responses/${status}/content/application~1json/schema`
                  : '/components/schemas/Error',
                answer,
              )
      return [
        ...asked.filter((one) => !(partial && /^ must have required property/.test(one))).map((one) => `sent: ${one}`),
        ...answered.map((one) => `answered: ${one}`),
      ].map((one) => `${operation.id} ${one}`)
    },
  }
}

function escaped(path: string): string {
  return path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')
}

/** `nullable` belongs to an older version of the schema language: expressed as a type here. */
function withNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNulls)
  if (typeof value !== 'object' || value === null) return value
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withNulls(inner)]),
  )
  return nullable === true && typeof rest.type === 'string' ? { ...rest, type: [rest.type, 'null'] } : rest
}
