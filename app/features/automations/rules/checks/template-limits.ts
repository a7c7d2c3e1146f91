// Limits for texts of a ServiceM8 template when they are sent; a rule's own texts are checked when they are saved.
import { grouped } from '#app/domain/time/moments.ts'
import { MOST_PLACEHOLDERS } from '../placeholders/placeholder-check.ts'
import { placeholdersIn } from '../placeholders/placeholder-syntax.ts'

/** Characters, including HTML. The same as for a whole rule. */
const TEMPLATE_LONGEST = 100_000

/** Why a text of a template cannot be filled in and sent; null = it can. */
export function templateProblem(text: string): string | null {
  if (text.length > TEMPLATE_LONGEST) {
    return `The template has ${grouped(text.length)} characters; at most ${grouped(TEMPLATE_LONGEST)} can be sent. Shorten it in ServiceM8.`
  }
  const count = placeholdersIn(text).length
  if (count <= MOST_PLACEHOLDERS) return null
  return `The template has ${grouped(count)} placeholders; at most ${MOST_PLACEHOLDERS} can be filled in. Shorten it in ServiceM8.`
}
