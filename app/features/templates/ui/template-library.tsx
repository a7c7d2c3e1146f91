import { Form, useNavigation } from '@remix-run/react'
import { LayoutTemplate, Search } from 'lucide-react'
import { AUTOMATION_PATH, type AutomationAccount, automationQuery } from '#app/domain/automations/automation-address.ts'
import { CATEGORIES, CATEGORY_LABELS } from '#app/domain/template-categories.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { Card } from '#app/ui/card.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { Select } from '#app/ui/form/select.tsx'
import { HiddenFields } from '#app/ui/form/sent-values.tsx'
import { TextInput } from '#app/ui/form/text-input.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { TEMPLATES_NOT_FETCHED, type TemplateCardView } from '../template-view.ts'
import { CreateTemplate } from './create-template.tsx'
import { TemplateCard } from './template-card.tsx'

export interface TemplateLibraryProps {
  /** Templates that match the search; null = loading failed. */
  templates: TemplateCardView[] | null
  search: string
  /** '' = all. */
  category: string
  admin: boolean
  /** From the address. */
  accountId: string
  /** Automations an admin can turn into a template. */
  rules: { id: number; name: string }[]
}

/** Browses, searches, and opens a template in the form. Uses only addresses, so it works without scripts. */
export function TemplateLibrary({ templates, search, category, admin, accountId, rules }: TemplateLibraryProps) {
  const account: AutomationAccount = { accountUUID: accountId, admin }
  const all = automationQuery(account, { step: 'none' }, 'templates')
  const isFiltered = search !== '' || category !== ''
  return (
    <section aria-labelledby="library-title" className="grid gap-5">
      <div>
        <h2 id="library-title" className="font-semibold text-title">
          Template Library
        </h2>
        <p className="text-label text-ink-soft">
          Ready-made automations. Using one opens it in the form: nothing runs until you have looked it over and
          switched it on.
        </p>
      </div>
      <LibraryFilter query={all} search={search} category={category} isFiltered={isFiltered} />
      {admin ? <CreateTemplate account={account} rules={rules} /> : null}
      {templates === null ? (
        <Notice tone="failing" title={TEMPLATES_NOT_FETCHED}>
          <p>Nothing is lost. Please load the page again in a moment.</p>
        </Notice>
      ) : (
        <FoundTemplates templates={templates} account={account} allOf={isFiltered ? all : null} />
      )}
    </section>
  )
}

interface FoundTemplatesProps {
  templates: TemplateCardView[]
  account: AutomationAccount
  /** The query that shows all templates; null = all are shown. */
  allOf: Record<string, string> | null
}

function FoundTemplates({ templates, account, allOf }: FoundTemplatesProps) {
  if (templates.length === 0) {
    const showAll = allOf && (
      <ButtonLink to={`${AUTOMATION_PATH}?${new URLSearchParams(allOf)}`}>Show all templates</ButtonLink>
    )
    return (
      <Card>
        <EmptyState icon={LayoutTemplate} title={allOf ? 'No template fits' : 'No templates yet'} action={showAll}>
          <p>Try fewer words, or another category.</p>
        </EmptyState>
      </Card>
    )
  }
  return (
    <>
      <p role="status" className="-mb-2 text-dense text-ink-soft">
        {templates.length === 1 ? '1 template' : `${templates.length} templates`}
        {allOf ? ' found' : ''}
      </p>
      <ul aria-labelledby="library-title" className="grid items-stretch gap-4 md:grid-cols-2">
        {templates.map((template) => (
          <li key={template.id} className="min-w-0">
            <TemplateCard template={template} account={account} />
          </li>
        ))}
      </ul>
    </>
  )
}

interface LibraryFilterProps {
  query: Record<string, string>
  search: string
  category: string
  isFiltered: boolean
}

function LibraryFilter({ query, search, category, isFiltered }: LibraryFilterProps) {
  const { state, location } = useNavigation()
  const searching = state === 'loading' && location?.search.includes('tab=templates') === true
  return (
    <Form
      // Reset the fields when the address changes.
      key={`${search}|${category}`}
      method="get"
      action={AUTOMATION_PATH}
      preventScrollReset
      role="search"
      aria-label="Templates"
      className="grid items-end gap-3 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_auto]"
    >
      <HiddenFields values={query} />
      <Field id="template-search" label="Search templates">
        {(control) => (
          <TextInput
            {...control}
            name="search"
            type="search"
            defaultValue={search}
            placeholder="Like quote, reminder, SMS"
          />
        )}
      </Field>
      <Field id="template-category" label="Category">
        {(control) => (
          <Select
            {...control}
            name="category"
            defaultValue={category}
            none="All categories"
            options={CATEGORIES.map((one) => [one, CATEGORY_LABELS[one]])}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" icon={Search} pending={searching} pendingLabel="Looking…">
          Search
        </Button>
        {isFiltered ? (
          <ButtonLink to={`${AUTOMATION_PATH}?${new URLSearchParams(query)}`} preventScrollReset>
            Clear
          </ButtonLink>
        ) : null}
      </div>
    </Form>
  )
}
