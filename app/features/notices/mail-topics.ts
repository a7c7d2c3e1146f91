// The names of the boxes in the form. Apart from its schema, which is too heavy for a page's script.
import type { MailTopic } from '#app/domain/notices/notice.ts'

export function topicField(topic: MailTopic): string {
  return `topic_${topic}`
}
