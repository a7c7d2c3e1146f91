// Compares real answers with the reference: it must document their status and every field of their body.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { documentPath, openApiDocument } from '#app/features/reference/openapi.ts'
import { REFERENCE } from '#app/routes/api/calls.server.ts'

const DOCUMENT_ID = 'https://fieldhook.example.com/document'
const document = openApiDocument(REFERENCE, { origin: 'https://fieldhook.example.com', version: '0.0.0', closed: true })
// The schemas check formats themselves where needed; unknown keywords are OpenAPI's own.
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema(JSON.parse(JSON.stringify(document)) as object, DOCUMENT_ID)

/** The undocumented parts of a call's answer; null when all is documented, or the route is not in the reference. */
export function untold(
  call: { method: string; route: string },
  answer: { status: number; text: string },
): string | null {
  const { method, route } = call
  if (!REFERENCE.operations.some((one) => one.path === route && one.method === method)) return null
  const told = document.paths[documentPath(route)]?.[method.toLowerCase()]?.responses as Record<string, unknown>
  const name = `${method} ${route} ${answer.status}`
  if (!Object.hasOwn(told, answer.status)) return `${name}: no such status`
  const where = ['paths', documentPath(route), method.toLowerCase(), 'responses', String(answer.status)]
  const usual = (told[answer.status] as { $ref?: string }).$ref?.slice(2).split('/')
  const pointer = [...(usual ?? where), 'content', 'application/json', 'schema'].map(escaped).join('/')
  const validate = ajv.getSchema(`${DOCUMENT_ID}#/${pointer}`)
  if (!validate) return `${name}: no schema`
  if (validate(JSON.parse(answer.text))) return null
  const found = validate.errors?.map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
  return `${name}: ${found?.slice(0, 5).join('; ')}`
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}
