// Splits the reference into its pages: the index, and one page per subject with the objects that its calls use.
import { GENERAL_PARTS, GENERAL_TITLES, type GeneralPart, referenceAddress } from './reference-places.ts'
import type { ReferenceView, ShownGroup, ShownType } from './reference-view.ts'
import type { FieldRow } from './schema-text.ts'

/** A line of the index: what an older link named, and its place now. */
interface IndexLine {
  /** Its anchor while all of the reference was one page. */
  anchor: string
  name: string
  to: string
}

export type ReferenceIndex = ReturnType<typeof referenceIndex>

export type ReferencePart =
  | { kind: 'subject'; group: ShownGroup; types: ShownType[]; next: IndexLine | null }
  | { kind: GeneralPart; forward: ReferenceView['forward'] }

export function referenceIndex(view: ReferenceView) {
  const subjects = view.groups.map((group) => ({
    ...lineOf(group),
    calls: group.calls.map(({ anchor, method, summary }) => ({
      anchor,
      method,
      name: summary,
      to: referenceAddress(group.anchor, anchor),
    })),
  }))
  const general = GENERAL_PARTS.map((part) => ({
    anchor: part,
    name: GENERAL_TITLES[part],
    to: referenceAddress(part),
  }))
  return { general, subjects, objects: objectLines(view) }
}

/** The page of a subject or general part; null = there is none. */
export function referencePart(view: ReferenceView, part: string): ReferencePart | null {
  const general = GENERAL_PARTS.find((name) => name === part)
  if (general) return { kind: general, forward: view.forward }
  const place = view.groups.findIndex(({ anchor }) => anchor === part)
  const group = view.groups[place]
  const next = view.groups[place + 1]
  return group ? { kind: 'subject', group, types: typesOf(group, view.types), next: next ? lineOf(next) : null } : null
}

function lineOf({ anchor, name }: Pick<ShownGroup, 'anchor' | 'name'>): IndexLine {
  return { anchor, name, to: referenceAddress(anchor) }
}

/** Each object leads to the first page that shows it. */
function objectLines(view: ReferenceView): IndexLine[] {
  const at = new Map<string, string>()
  for (const group of view.groups) {
    for (const { name } of typesOf(group, view.types)) if (!at.has(name)) at.set(name, group.anchor)
  }
  return view.types.flatMap(({ name, anchor }) => {
    const page = at.get(name)
    return page === undefined ? [] : [{ anchor, name, to: referenceAddress(page, anchor) }]
  })
}

/** The objects that these calls return or take, and those inside them. */
function typesOf(group: ShownGroup, types: readonly ShownType[]): ShownType[] {
  const named = new Set<string>()
  const add = (name: string | null): void => {
    if (name === null || named.has(name)) return
    named.add(name)
    for (const { refersTo } of types.find((type) => type.name === name)?.rows ?? []) add(refersTo)
  }
  const addRows = (rows: readonly FieldRow[]) => {
    for (const { refersTo } of rows) add(refersTo)
  }
  for (const { answers, body, parameters } of group.calls) {
    for (const { refersTo, rows } of answers) {
      add(refersTo)
      addRows(rows)
    }
    addRows([...(body ?? []), ...parameters])
  }
  return types.filter(({ name }) => named.has(name))
}
