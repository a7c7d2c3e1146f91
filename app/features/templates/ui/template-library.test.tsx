import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { CATEGORIES } from '#app/domain/template-categories.ts'
import { renderPage } from '#tests/support/page-stub.tsx'
import { SAMPLE_NOW } from '#tests/support/sample-views.ts'
import { LIBRARY } from '../library.ts'
import { GROUPS } from '../recipes.ts'
import { GROUP_LABELS } from '../template-text.ts'
import { findTemplates, recipeViews, templateRowView } from '../template-view.ts'
import { TemplateLibrary, type TemplateLibraryProps } from './template-library.tsx'

const TEMPLATES = LIBRARY.map((template) => ({
  overlap: null,
  ...template,
  isPublic: true,
  usageCount: 0,
  createdAt: null,
  updatedAt: null,
}))
const ALL = TEMPLATES.map(templateRowView)
const FIRM = 'Alder & Finch Plumbing and Heating'
const RECIPES = recipeViews(TEMPLATES, FIRM, { now: SAMPLE_NOW, zone: 'Europe/London' })
const ACCOUNT = 'accountUUID=account-1'

function draw(over: Partial<TemplateLibraryProps> = {}, sent: Record<string, string>[] = []) {
  return renderPage({
    page: () => (
      <main>
        <TemplateLibrary
          recipes={RECIPES}
          templates={ALL}
          search=""
          category=""
          admin={false}
          accountId="account-1"
          rules={[]}
          typed={{}}
          {...over}
        />
      </main>
    ),
    routes: [
      {
        path: '/automation/templates',
        action: async ({ request }) => {
          sent.push(Object.fromEntries([...(await request.formData())].map(([name, value]) => [name, String(value)])))
          return null
        },
        Component: () => null,
      },
    ],
  })
}

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => /\w/.test(word))
const rowOf = (name: string) => screen.getByText(name, { selector: 'a *' }).closest('a') as HTMLElement

describe('the library', () => {
  it('is read in a minute: at most 700 words, and no line of more than twelve', () => {
    draw()
    // Each element by itself: a browser puts a space between them.
    const walker = document.createTreeWalker(screen.getByRole('main'), NodeFilter.SHOW_TEXT)
    const texts: string[] = []
    while (walker.nextNode()) texts.push(walker.currentNode.textContent ?? '')
    expect(wordsOf(texts.join(' ')).length).toBeLessThanOrEqual(700)
    const long = TEMPLATES.flatMap(({ description }) => description.split(/(?<=[.:])\s/)).filter(
      (sentence) => wordsOf(sentence).length > 12,
    )
    expect(long).toEqual([])
  })

  it('begins with six recipes, each with its channel, its promise, a picture of its message, and Use', () => {
    draw()
    const cards = screen.getAllByRole('article')
    expect(cards).toHaveLength(6)
    for (const [index, recipe] of RECIPES.entries()) {
      const card = within(cards[index] as HTMLElement)
      card.getByRole('heading', { name: recipe.name })
      card.getByRole('img', { name: recipe.channel === 'sms' ? 'Text message' : 'E-mail' })
      card.getByText(recipe.line)
      card.getByText((recipe.picture?.text ?? '-').replace(/\s+/g, ' '))
      expect(card.getByRole('link', { name: `Use ${recipe.name}` }).getAttribute('href')).toBe(
        `/automation/templates/${recipe.id}?${ACCOUNT}`,
      )
    }
  })

  it('shows messages as they are sent: without braces or brackets, signed by the firm', () => {
    const texts = RECIPES.map(({ picture }) => `${picture?.subject} ${picture?.text}`)
    expect(texts.filter((text) => /[{}[\]]|undefined|null/.test(text))).toEqual([])
    expect(texts.filter((text) => text.includes('Joan'))).not.toEqual([])
    expect(texts.filter((text) => text.includes(FIRM.slice(0, 5)))).not.toEqual([])
  })

  it('lists all 29 in four groups, with a quiet sign where ServiceM8 has its own message', () => {
    draw()
    const lists = GROUPS.map((group) => screen.getByRole('list', { name: GROUP_LABELS[group] }))
    expect(lists.flatMap((list) => within(list).getAllByRole('listitem'))).toHaveLength(29)
    for (const { id, name, overlap } of ALL) {
      const row = rowOf(name)
      expect(row.getAttribute('href')).toBe(`/automation/templates/${id}?${ACCOUNT}`)
      expect(within(row).queryByRole('img', { name: /own message/ }) !== null).toBe(overlap !== null)
    }
    expect(screen.getByRole('main').textContent).not.toMatch(/Not used|Actions:|To fill in/)
  })

  it('searches and filters by address, without scripts and without the recipes', () => {
    draw({ search: 'invoice', category: 'reporting', templates: [], recipes: [] })
    const form = screen.getByRole<HTMLFormElement>('search', { name: 'Templates' })
    expect([form.method, form.getAttribute('action')]).toEqual(['get', '/automation'])
    expect(Object.fromEntries(new FormData(form))).toEqual({
      accountUUID: 'account-1',
      tab: 'templates',
      search: 'invoice',
      category: 'reporting',
    })
    expect(screen.getByText('No template fits').textContent).toBe('No template fits')
    expect(screen.queryByText('Start with a recipe')).toBeNull()
    expect(screen.getByRole('link', { name: 'Clear' }).getAttribute('href')).toBe(
      `/automation?${ACCOUNT}&tab=templates`,
    )
  })

  it('takes the keyboard to the search with /, and lets a / be typed there', () => {
    draw()
    const box = screen.getByLabelText('Search templates')
    fireEvent.keyDown(document.body, { key: '/', ctrlKey: true })
    expect(document.activeElement).not.toBe(box)
    expect(fireEvent.keyDown(document.body, { key: '/' })).toBe(false)
    expect(document.activeElement).toBe(box)
    expect(fireEvent.keyDown(box, { key: '/' })).toBe(true)
  })

  it('says when it could not be fetched', () => {
    draw({ templates: null, recipes: [] })
    expect(screen.getByRole('alert').textContent).toContain('Failed to fetch templates')
  })
})

describe('the search', () => {
  it('finds every word in name, line, sentence or actions, whatever the case', () => {
    expect(findTemplates(TEMPLATES, { search: '', category: null })).toHaveLength(29)
    const found = findTemplates(TEMPLATES, { search: 'INVOICE late', category: null })
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBeLessThan(29)
    expect(findTemplates(TEMPLATES, { search: 'no such word', category: null })).toEqual([])
  })

  it('finds each of its categories, and together they are all', () => {
    const counts = CATEGORIES.map((category) => findTemplates(TEMPLATES, { search: '', category }).length)
    expect(counts.every((count) => count > 0)).toBe(true)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(29)
  })
})

describe('creating one', () => {
  it('is for admins', () => {
    draw()
    expect(screen.queryByText('Create a template')).toBeNull()
  })

  it('shows again what was typed for a template that was not created', () => {
    const rules = [5, 7].map((id) => ({ id, name: `Rule ${id}` }))
    draw({ admin: true, rules, typed: { rule: '7', name: 'Mine', description: 'Texts.', category: 'workflow' } })
    expect(screen.getByLabelText('Template name')).toHaveProperty('value', 'Mine')
    expect(screen.getByLabelText('What it does for its user')).toHaveProperty('value', 'Texts.')
    expect(screen.getByLabelText(/^Automation/)).toHaveProperty('value', '7')
    expect(screen.getByLabelText('Template category')).toHaveProperty('value', 'workflow')
    expect(screen.getByLabelText('Every account may use it')).toHaveProperty('checked', false)
  })

  it('sends an automation with a name and a category', async () => {
    const sent: Record<string, string>[] = []
    draw({ admin: true, rules: [{ id: 7, name: 'Quote check-in' }] }, sent)
    const form = screen.getByRole('button', { name: 'Create template' }).closest('form')
    expect(form?.getAttribute('action')).toBe(`/automation/templates?${ACCOUNT}&admin=yes`)
    const name = within(form as HTMLElement).getByLabelText<HTMLInputElement>('Template name')
    // Without scripts, a refusal by the server would lose what was typed.
    expect(name.required).toBe(true)
    name.value = 'Mine'
    screen.getByRole('button', { name: 'Create template' }).click()
    await waitFor(() => expect(sent).toHaveLength(1))
    expect(sent[0]).toEqual({ rule: '7', name: 'Mine', description: '', category: 'communication', isPublic: 'yes' })
  })
})
