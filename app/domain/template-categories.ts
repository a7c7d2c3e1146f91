// The categories of templates. Separate from templates, so a page can name them without the template schema.

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
