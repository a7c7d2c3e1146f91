// What templates are for. Apart from the template itself, so that a page can name them without its schema.

export const CATEGORIES = ['communication', 'job_management', 'reporting', 'workflow', 'integration'] as const
export type Category = (typeof CATEGORIES)[number]

export const CATEGORY_LABELS: Readonly<Record<Category, string>> = {
  communication: 'Communication',
  job_management: 'Job Management',
  reporting: 'Reporting',
  workflow: 'Workflow',
  integration: 'Integration',
}

export function isCategory(value: string): value is Category {
  return CATEGORIES.some((category) => category === value)
}
