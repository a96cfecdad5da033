export { ModelFault } from './chat-model.ts';
export type {
  ChatModel,
  ModelCall,
  ModelFaultKind,
  ModelFunction,
  ModelMessage,
  ModelReply,
  ModelRequest,
  ModelUsage,
} from './chat-model.ts';
export type { ModelSpending } from './model-call-repository.ts';
export { ModelsService } from './models-service.ts';
export type { ModelsServiceParts, ModelWork } from './models-service.ts';
