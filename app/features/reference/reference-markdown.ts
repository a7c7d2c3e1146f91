// docs/api.md: the same content as the page and the document, as text.
import type { Reference } from '#app/contract/operation.ts'
import { REFUSAL_TEXTS, type Refusal } from '#app/contract/refusals.ts'
import { GENERAL_TEXTS, OTHER_ADDRESSES, typeAnchor, WHO_TEXTS } from './reference-text.ts'
import { referenceView, type ShownAnswer, type ShownCall } from './reference-view.ts'
import type { FieldRow } from './schema-text.ts'

const ANY_INSTALLATION = 'https://fieldhook.example.com'

/** `introduction` = handwritten text before the reference. */
export function referenceMarkdown(reference: Reference, introduction: string): string {
  const view = referenceView(reference, ANY_INSTALLATION)
  const parts = [
    introduction.trim(),
    '<!-- From here on made by `npm run docs:api`, from the schemas the calls are read with. -->',
    GENERAL_TEXTS.join('\n\n'),
    table(['Error', 'Meaning, unless a call says more'], Object.entries(REFUSAL_TEXTS)),
    '## The calls',
    view.groups.map(({ name, anchor, says }) => `- [${name}](#${anchor}): ${says}`).join('\n'),
    ...view.groups.flatMap(({ name, says, calls }) => [`## ${name}`, says, ...calls.flatMap(callText)]),
    '## What we send to your address',
    ...view.forward.says,
    table(
      ['Header', 'Content'],
      view.forward.headers.map(({ name, says }) => [`\`${name}\``, says]),
    ),
    code('json', view.forward.example),
    '## Objects',
    ...view.types.flatMap(({ name, anchor, rows }) => [`<a id="${anchor}"></a>`, `### ${name}`, fieldTable(rows)]),
    '## Other addresses',
    table(
      ['Address', 'Use'],
      OTHER_ADDRESSES.map(({ address, says }) => [`\`${address}\``, says]),
    ),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function callText(call: ShownCall): string[] {
  const { anchor, method, path, summary, description, who, limit, parameters, body, answers, refusals, curl } = call
  return [
    `<a id="${anchor}"></a>`,
    `### ${summary}`,
    `\`${method} ${path}\` · ${WHO_TEXTS[who]}${limit === null ? '' : ` · ${limit}`}`,
    ...description,
    parameters.length === 0
      ? ''
      : table(
          ['Parameter', 'In', 'Type', 'Description'],
          parameters.map((row) => [nameCell(row), row.where, row.type, row.says]),
        ),
    ...(body === null ? [] : ['Request:', fieldTable(body), code('sh', curl)]),
    ...answers.flatMap(answerText),
    `Errors: ${refusals.map(refusalText).join(', ')}.`,
  ]
}

/** Lists only refusals with an unusual reason. */
function refusalText({ status, says, usual }: Refusal): string {
  return usual ? `${status}` : `${status} (${says.replace(/[.]$/, '')})`
}

function answerText({ status, says, type, refersTo, rows }: ShownAnswer): string[] {
  const kind = refersTo === null ? type : type.replace(refersTo, `[${refersTo}](#${typeAnchor(refersTo)})`)
  return [`**${status}** ${says} Response: ${kind}.`, rows.length === 0 ? '' : fieldTable(rows)]
}

function fieldTable(rows: readonly FieldRow[]): string {
  return rows.length === 0
    ? ''
    : table(
        ['Field', 'Type', 'Description'],
        rows.map((row) => [nameCell(row), row.type, row.says]),
      )
}

/** Required fields are bold. */
function nameCell({ name, required }: FieldRow): string {
  return required ? `**\`${name}\`**` : `\`${name}\``
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

function code(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}
