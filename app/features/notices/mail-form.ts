// The choices about e-mails, as forms and calls send them.
import { z } from 'zod'
import { MAIL_TOPICS, type MailChoice, type MailTopic } from '#app/domain/notices/notice.ts'
import { WANTED } from '#app/domain/wanted.ts'
import { closedDaysList, readClosedDays } from './closed-days.ts'
import { topicField } from './mail-topics.ts'

const EMAIL_WRONG = 'Enter one e-mail address, such as office@example.com'

/** Empty or null for the address ServiceM8 has. */
const emailField = z
  .string(EMAIL_WRONG)
  .trim()
  .max(254, EMAIL_WRONG)
  .nullable()
  .transform((text) => (text === '' ? null : text))
  .refine((text) => text === null || z.email().safeParse(text).success, EMAIL_WRONG)

const ticked = z
  .string()
  .optional()
  .transform((value) => value === 'yes')

const closedDaysField = z
  .string()
  .max(4_000, 'Enter fewer days')
  .default('')
  .transform((text, context) => {
    const read = readClosedDays(text)
    if (typeof read !== 'string') return read
    context.addIssue({ code: 'custom', message: read })
    return z.NEVER
  })

/** Schema of the form: an unticked box is missing, so `all` = yes says that every box was shown. */
export const mailChoiceForm = z
  .looseObject({
    all: ticked,
    byMail: ticked,
    email: emailField.default(null),
    weekly: ticked,
    holidaysOff: ticked,
    closedDays: closedDaysField,
  })
  .transform(({ all, byMail, email, weekly, holidaysOff, closedDays, ...boxes }): Partial<MailChoice> => {
    if (!all) return { byMail, email }
    const topicsOff = MAIL_TOPICS.filter((topic) => (boxes as Record<string, unknown>)[topicField(topic)] !== 'yes')
    return { byMail, email, topicsOff, weekly, holidaysOff, closedDays }
  })

const TOPICS_WANTED = `Must be a list of ${MAIL_TOPICS.join(', ')}`

/** Schema of the call's body. */
export const mailChoiceChange = z.strictObject({
  byMail: z.boolean(WANTED.flag).optional(),
  email: emailField.optional(),
  topicsOff: z.array(z.enum(MAIL_TOPICS, TOPICS_WANTED), TOPICS_WANTED).optional(),
  weekly: z.boolean(WANTED.flag).optional(),
  holidaysOff: z.boolean(WANTED.flag).optional(),
  closedDays: closedDaysList.optional(),
})

/** What a form showed when it was opened, as it sends that along: `mailSettingsView` without the problem. */
const openedForm = mailChoiceChange.extend({ closedDays: closedDaysField }).required()

/** Is a sent choice another one than in `choice`? */
export function differsFrom(choice: Partial<MailChoice>): (sent: [string, unknown]) => boolean {
  return ([name, value]) => JSON.stringify(value) !== JSON.stringify(choice[name as keyof MailChoice])
}

/** Of a form, only what differs from what it showed: meanwhile, somebody else may have `saved` another part. */
export function changedChoices(sent: Partial<MailChoice>, opened: unknown, saved: MailChoice): Partial<MailChoice> {
  const shown = openedForm.safeParse(opened).data
  if (!shown) return sent
  const differing = Object.entries(sent).filter(differsFrom(shown))
  const { topicsOff, ...changed }: Partial<MailChoice> = Object.fromEntries(differing)
  if (!topicsOff) return changed
  const kept = (topic: MailTopic) => topicsOff.includes(topic) === shown.topicsOff.includes(topic)
  const isOff = (topic: MailTopic) => (kept(topic) ? saved.topicsOff : topicsOff).includes(topic)
  return { ...changed, topicsOff: MAIL_TOPICS.filter(isOff) }
}

/** Only what is named, each topic once. */
export function namedChoices(
  change: {
    [Key in keyof MailChoice]?: MailChoice[Key] | undefined
  },
): Partial<MailChoice> {
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  const { topicsOff, ...named }: Partial<MailChoice> = Object.fromEntries(given)
  return topicsOff ? { ...named, topicsOff: MAIL_TOPICS.filter((topic) => topicsOff.includes(topic)) } : named
}
