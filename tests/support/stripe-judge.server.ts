// For tests: checks whether a call and its answer match the provider's own description.
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import qs from 'qs'

type Json = Record<string, unknown>

interface Description {
  paths: Record<string, Record<string, Json>>
  components: { schemas: Record<string, Json> }
}

const FOLDER = new URL('../data/stripe/', import.meta.url)

interface Judged {
  method: string
  path: string
  query: string
  requestBody: string
  status: number
  answer: Json
}

export interface Judge {
  description: Description
  /** Errors in a call, in words; empty when there are none. */
  problemsOf(call: Judged): string[]
  /** Errors in an object of the wire. @param schema `subscription`, `invoice`, … */
  problemsOfObject(schema: string, object: unknown): string[]
  /** `/v1/customers/{id}` for `/v1/customers/cus_1`; '' when none matches. */
  templateOf(method: string, path: string): string
}

export function readWireJson<T>(name: 'openapi.reduced.json' | 'fixtures.reduced.json'): T {
  return JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as T
}

export function createJudge(): Judge {
  const description = readWireJson<Description>('openapi.reduced.json')
  // Form bodies and queries only contain text; answers must have the right types.
  const ofRequests = new Ajv2020({ strict: false, coerceTypes: true })
  const ofAnswers = new Ajv2020({ strict: false })
  for (const ajv of [ofRequests, ofAnswers]) ajv.addSchema({ $id: 'stripe', ...description })
  const compiled = new Map<string, ValidateFunction>()

  function validator(ajv: Ajv2020, pointer: string): ValidateFunction {
    const key = `${ajv === ofRequests ? 'request' : 'answer'} ${pointer}`
    const known = compiled.get(key)
    if (known) return known
    const made = ajv.compile({ $ref: `stripe#${pointer}` })
    compiled.set(key, made)
    return made
  }

  function problems(ajv: Ajv2020, pointer: string, value: unknown): string[] {
    const validate = validator(ajv, pointer)
    if (validate(value)) return []
    return (validate.errors ?? [])
      .slice(0, 5)
      .map((one) => `${one.instancePath} ${one.message ?? ''} ${JSON.stringify(one.params)}`)
  }

  const escaped = (path: string) =>
    path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')

  function templateOf(method: string, path: string): string {
    const given = path.split('/')
    const fits = Object.keys(description.paths).filter((template) => {
      const wanted = template.split('/')
      const same =
        wanted.length === given.length && wanted.every((part, at) => part.startsWith('{') || part === given[at])
      return same && description.paths[template]?.[method.toLowerCase()] !== undefined
    })
    return fits.sort((a, b) => a.split('{').length - b.split('{').length)[0] ?? ''
  }

  return {
    description,
    templateOf,
    problemsOfObject: (schema, object) => problems(ofAnswers, `/components/schemas/${schema}`, object),
    problemsOf(call) {
      const template = templateOf(call.method, call.path)
      if (template === '') return [`${call.method} ${call.path} is not in the description`]
      const verb = call.method.toLowerCase()
      const at = `/paths/${escaped(template)}/${verb}`
      const parsed = qs.parse(verb === 'post' ? call.requestBody : call.query, { depth: 12, arrayLimit: 200 })
      const operation = description.paths[template]?.[verb] ?? {}
      const asked =
        verb === 'post' && operation.requestBody !== undefined
          ? problems(ofRequests, `${at}/requestBody/content/application~1x-www-form-urlencoded/schema`, parsed)
          : operation['x-query-schema'] !== undefined
            ? problems(ofRequests, `${at}/x-query-schema`, parsed)
            : []
      const shape =
        call.status === 200 ? `${at}/responses/200/content/application~1json/schema` : '/components/schemas/error'
      const answered = problems(ofAnswers, shape, call.answer)
      return [...asked.map((one) => `request: ${one}`), ...answered.map((one) => `answer: ${one}`)].map(
        (one) => `${call.method} ${template} ${one}`,
      )
    },
  }
}
