// Every action by its type. A new one needs an entry in action-parameters.ts, its plan in a file here, a line below.
import type { ActionType } from '#app/domain/automations/action-parameters.ts'
import type { Action } from './action.server.ts'
import { createTask } from './create-task.server.ts'
import { generateDocument } from './generate-document.server.ts'
import { assignToQueue, createJob, updateJobField, updateJobStatus } from './job-actions.server.ts'
import { sendEmail, sendSms } from './send-messages.server.ts'
import { postActivityFeed, sendNotification } from './send-notification.server.ts'
import { sendStaffMessage } from './staff-message.server.ts'

export const ACTIONS: Record<ActionType, Action> = {
  create_job: createJob,
  update_job_status: updateJobStatus,
  assign_to_queue: assignToQueue,
  send_email: sendEmail,
  send_sms: sendSms,
  generate_document: generateDocument,
  send_staff_message: sendStaffMessage,
  post_activity_feed: postActivityFeed,
  send_notification: sendNotification,
  create_task: createTask,
  update_job_field: updateJobField,
}
