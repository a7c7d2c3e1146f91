// How the library is ordered on the page: six recipes on top, all templates in four groups below.
import type { Category } from '#app/domain/template-categories.ts'

/** Ids of the built-in templates that most firms begin with, in their order on the page. */
export const RECIPE_IDS: readonly number[] = [17, 15, 1, 7, 10, 16]

export const GROUPS = ['customers', 'money', 'office', 'technicians'] as const
export type Group = (typeof GROUPS)[number]

const GROUP_OF: Readonly<Record<number, Group>> = {
  ...of('customers', [1, 2, 4, 14, 15, 16, 17, 18, 26, 27, 28]),
  ...of('money', [6, 7, 8, 9, 10, 11, 12, 13]),
  ...of('office', [3, 5, 20, 21, 23, 24, 25, 29]),
  ...of('technicians', [19, 22]),
}

function of(group: Group, ids: readonly number[]): Record<number, Group> {
  return Object.fromEntries(ids.map((id) => [id, group]))
}

/** The group of a template; one that an admin made stands by its category. */
export function groupOf({ id, category }: { id: number; category: Category }): Group {
  return GROUP_OF[id] ?? (category === 'communication' ? 'customers' : 'office')
}
