import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { CATEGORIES } from '#app/domain/template-categories.ts'
import { renderPage } from '#tests/support/page-stub.tsx'
import { LIBRARY } from '../library.ts'
import { findTemplates, templateCardView } from '../template-view.ts'
import { TemplateLibrary, type TemplateLibraryProps } from './template-library.tsx'

const ALL = LIBRARY.map((template) =>
  templateCardView({ overlap: null, ...template, isPublic: true, usageCount: 0, createdAt: null, updatedAt: null }),
)
const ACCOUNT = 'accountUUID=account-1'

function draw(over: Partial<TemplateLibraryProps> = {}, sent: Record<string, string>[] = []) {
  return renderPage({
    page: () => (
      <TemplateLibrary templates={ALL} search="" category="" admin={false} accountId="account-1" rules={[]} {...over} />
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

const cards = () => screen.getAllByRole('article')

describe('the library', () => {
  it('shows every template with its sentence, description, warning, blanks and use', () => {
    draw()
    expect(cards()).toHaveLength(25)
    const first = ALL[0]
    if (!first) throw new Error('the library is empty')
    const card = screen.getByRole('article', { name: first.name })
    for (const text of [first.sentence.when, first.sentence.does, first.description, ...first.blanks, 'Not used yet']) {
      expect(card.textContent).toContain(text)
    }
    const warned = ALL.find((template) => template.overlap !== null)
    expect(screen.getByRole('article', { name: warned?.name ?? '' }).textContent).toContain(warned?.overlap ?? '-')
  })

  it('leads each one into the form as a copy, by a button', () => {
    draw({ admin: true })
    const first = ALL[0]
    const form = screen.getByRole('button', { name: `Use template ${first?.name}` }).closest('form')
    if (!form) throw new Error('the button has no form')
    expect([form.method, form.getAttribute('action')]).toEqual(['post', `/automation?${ACCOUNT}&admin=yes`])
    expect(Object.fromEntries(new FormData(form))).toEqual({ act: 'copy', id: String(first?.id) })
  })

  it('searches and filters by address, without scripts', () => {
    draw({ search: 'invoice', category: 'reporting', templates: [] })
    const form = screen.getByRole<HTMLFormElement>('search', { name: 'Templates' })
    expect([form.method, form.getAttribute('action')]).toEqual(['get', '/automation'])
    expect(Object.fromEntries(new FormData(form))).toEqual({
      accountUUID: 'account-1',
      tab: 'templates',
      search: 'invoice',
      category: 'reporting',
    })
    expect(screen.getByText('No template fits').textContent).toBe('No template fits')
    expect(screen.getByRole('link', { name: 'Clear' }).getAttribute('href')).toBe(
      `/automation?${ACCOUNT}&tab=templates`,
    )
  })

  it('says when it could not be fetched', () => {
    draw({ templates: null })
    expect(screen.getByRole('alert').textContent).toContain('Failed to fetch templates')
  })

  it('counts the uses', () => {
    const [first, second] = ALL
    if (!first || !second) throw new Error('the library is empty')
    draw({
      templates: [
        { ...first, usageCount: 1 },
        { ...second, usageCount: 4 },
      ],
    })
    expect(cards().map((card) => /Used [^A-Z]*(once|times)/.exec(card.textContent ?? '')?.[0])).toEqual([
      'Used once',
      'Used 4 times',
    ])
  })
})

describe('the search', () => {
  it('finds every word anywhere on the card, whatever the case', () => {
    expect(findTemplates(ALL, { search: '', category: null })).toHaveLength(25)
    const found = findTemplates(ALL, { search: 'INVOICE late', category: null })
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBeLessThan(25)
    expect(findTemplates(ALL, { search: 'no such word', category: null })).toEqual([])
  })

  it('finds each of its categories, and together they are all', () => {
    const counts = CATEGORIES.map((category) => findTemplates(ALL, { search: '', category }).length)
    expect(counts.every((count) => count > 0)).toBe(true)
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(25)
  })
})

describe('creating one', () => {
  it('is for admins', () => {
    draw()
    expect(screen.queryByText('Create a template')).toBeNull()
  })

  it('sends an automation with a name and a category', async () => {
    const sent: Record<string, string>[] = []
    draw({ admin: true, rules: [{ id: 7, name: 'Quote check-in' }] }, sent)
    const form = screen.getByRole('button', { name: 'Create template' }).closest('form')
    expect(form?.getAttribute('action')).toBe(`/automation/templates?${ACCOUNT}&admin=yes`)
    const name = within(form as HTMLElement).getByLabelText<HTMLInputElement>('Template name')
    name.value = 'Mine'
    screen.getByRole('button', { name: 'Create template' }).click()
    await waitFor(() => expect(sent).toHaveLength(1))
    expect(sent[0]).toEqual({ rule: '7', name: 'Mine', description: '', category: 'communication', isPublic: 'yes' })
  })
})
