import { Form, Link, useNavigation } from '@remix-run/react'
import { ChevronRight, Info, LayoutTemplate, Plus, Search } from 'lucide-react'
import { AUTOMATION_PATH, type AutomationAccount, automationQuery } from '#app/domain/automations/automation-address.ts'
import { CATEGORIES, CATEGORY_LABELS } from '#app/domain/template-categories.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { Card, cardStyles } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { EmptyState } from '#app/ui/empty-state.tsx'
import { Checkbox } from '#app/ui/form/checkbox.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { useSearchKey } from '#app/ui/form/search-key.ts'
import { SelectField } from '#app/ui/form/select.tsx'
import { HiddenFields } from '#app/ui/form/sent-values.tsx'
import { controlStyles, TextField } from '#app/ui/form/text-input.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { GROUPS } from '../recipes.ts'
import { CREATE_TEXTS, countText, GROUP_LABELS, LIBRARY_TEXTS, TEMPLATES_NOT_FETCHED } from '../template-text.ts'
import { NEW_TEMPLATE_PATH, sheetAddress, type TemplateLibraryData, type TemplateRowView } from '../template-view.ts'
import { ChannelIcon } from './channel-icon.tsx'
import { RecipeCards } from './recipe-cards.tsx'

export interface TemplateLibraryProps extends TemplateLibraryData {
  admin: boolean
  /** From the address. */
  accountId: string
}

/** Six recipes, then every template as a row. Each leads to its sheet. Uses only addresses, so it works without scripts. */
export function TemplateLibrary(props: TemplateLibraryProps) {
  const { recipes, templates, search, category, admin, accountId, rules } = props
  const account: AutomationAccount = { accountUUID: accountId, admin }
  const all = automationQuery(account, { step: 'none' }, 'templates')
  const isFiltered = search !== '' || category !== ''
  return (
    <>
      <RecipeCards recipes={recipes} account={account} />
      <section aria-labelledby="library-title" className="grid gap-4">
        <h2 id="library-title" className="font-semibold text-title">
          {LIBRARY_TEXTS.title}
        </h2>
        <LibraryFilter query={all} search={search} category={category} isFiltered={isFiltered} />
        {admin ? <CreateTemplate account={account} rules={rules} typed={props.typed} /> : null}
        {templates === null ? (
          <Notice tone="failing" title={TEMPLATES_NOT_FETCHED}>
            <p>{LIBRARY_TEXTS.notFetched}</p>
          </Notice>
        ) : (
          <FoundTemplates templates={templates} account={account} allOf={isFiltered ? all : null} />
        )}
      </section>
    </>
  )
}

interface FoundTemplatesProps {
  templates: TemplateRowView[]
  account: AutomationAccount
  /** The query that shows all templates; null = all are shown. */
  allOf: Record<string, string> | null
}

function FoundTemplates({ templates, account, allOf }: FoundTemplatesProps) {
  if (templates.length === 0) {
    const showAll = allOf && (
      <ButtonLink to={`${AUTOMATION_PATH}?${new URLSearchParams(allOf)}`}>{LIBRARY_TEXTS.showAll}</ButtonLink>
    )
    return (
      <Card>
        <EmptyState icon={LayoutTemplate} title={allOf ? LIBRARY_TEXTS.noneFound : LIBRARY_TEXTS.none} action={showAll}>
          <p>{LIBRARY_TEXTS.tryAgain}</p>
        </EmptyState>
      </Card>
    )
  }
  const groups = GROUPS.map((group) => ({ group, rows: templates.filter((one) => one.group === group) }))
  return (
    <>
      <p role="status" className="-mb-2 text-dense text-ink-soft">
        {countText(templates.length, allOf !== null)}
      </p>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        {groups.map(({ group, rows }) =>
          rows.length === 0 ? null : (
            <div key={group} className="grid min-w-0 gap-2">
              <h3 id={`group-${group}`} className="font-semibold text-label">
                {GROUP_LABELS[group]}
              </h3>
              <ul aria-labelledby={`group-${group}`} className={`${cardStyles} divide-y divide-line overflow-hidden`}>
                {rows.map((template) => (
                  <li key={template.id}>
                    <TemplateRow template={template} account={account} />
                  </li>
                ))}
              </ul>
            </div>
          ),
        )}
      </div>
    </>
  )
}

function TemplateRow({ template, account }: { template: TemplateRowView; account: AutomationAccount }) {
  const { id, name, channel, line, overlap } = template
  return (
    <Link to={sheetAddress(account, id)} className="group/row flex items-center gap-3 px-4 py-2.5 hover:bg-sunken">
      <ChannelIcon channel={channel} />
      <span className="wrap-anywhere min-w-0 flex-1">
        <span className="block font-medium text-label group-hover/row:underline">{name}</span>
        <span className="block text-dense text-ink-soft">{line}</span>
      </span>
      {overlap === null ? null : (
        <span role="img" aria-label={LIBRARY_TEXTS.ownReminder} title={LIBRARY_TEXTS.ownReminder}>
          <Info aria-hidden className="size-4 text-ink-soft" />
        </span>
      )}
      <ChevronRight aria-hidden className="size-4 shrink-0 text-ink-soft" />
    </Link>
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
  const box = useSearchKey()
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
      <TextField
        id="template-search"
        label={LIBRARY_TEXTS.search}
        ref={box}
        aria-keyshortcuts="/"
        name="search"
        type="search"
        defaultValue={search}
        placeholder={LIBRARY_TEXTS.searchHint}
      />
      <SelectField
        id="template-category"
        label="Category"
        name="category"
        defaultValue={category}
        none="All categories"
        options={CATEGORIES.map((one) => [one, CATEGORY_LABELS[one]])}
      />
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

/** For admins: creates a template from a working automation. The response returns here with the result. */
function CreateTemplate({
  account,
  rules,
  typed,
}: { account: AutomationAccount } & Pick<TemplateLibraryData, 'rules' | 'typed'>) {
  const { state, formAction } = useNavigation()
  const pending = state !== 'idle' && formAction?.startsWith(NEW_TEMPLATE_PATH) === true
  const query = new URLSearchParams(automationQuery(account))
  const was = (name: string) => ({ name, defaultValue: typed[name] })
  return (
    <Card className="px-4 py-1 sm:px-5">
      <Disclosure summary={CREATE_TEXTS.summary} open={typed.name !== undefined}>
        {rules.length === 0 ? (
          <p className="pb-2 text-label text-ink-soft">{CREATE_TEXTS.noRules}</p>
        ) : (
          <Form method="post" action={`${NEW_TEMPLATE_PATH}?${query}`} preventScrollReset className="grid gap-4 pb-2">
            <div className="grid items-start gap-4 sm:grid-cols-2">
              <SelectField
                id="template-rule"
                label={CREATE_TEXTS.rule}
                hint={CREATE_TEXTS.ruleHint}
                {...was('rule')}
                options={rules.map(({ id, name }) => [id, name])}
              />
              <SelectField
                id="template-new-category"
                label={CREATE_TEXTS.category}
                {...was('category')}
                options={CATEGORIES.map((one) => [one, CATEGORY_LABELS[one]])}
              />
            </div>
            <TextField
              id="template-name"
              label={CREATE_TEXTS.name}
              {...was('name')}
              required
              maxLength={200}
              autoComplete="off"
            />
            <Field id="template-description" label={CREATE_TEXTS.description}>
              {(control) => (
                <textarea
                  {...control}
                  {...was('description')}
                  rows={3}
                  maxLength={2_000}
                  className={controlStyles({ className: 'py-2' })}
                />
              )}
            </Field>
            <Checkbox name="isPublic" value="yes" defaultChecked={typed.name === undefined || typed.isPublic === 'yes'}>
              {CREATE_TEXTS.isPublic}
            </Checkbox>
            <div>
              <Button type="submit" variant="primary" icon={Plus} pending={pending} pendingLabel="Creating…">
                {CREATE_TEXTS.create}
              </Button>
            </div>
          </Form>
        )}
      </Disclosure>
    </Card>
  )
}
