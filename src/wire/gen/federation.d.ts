// Generated from proto/ by `npm run gen`; not edited by hand.
import * as $protobuf from "protobufjs/minimal.js";

/** Namespace reedbed. */
export namespace reedbed {

    /** Namespace v1. */
    namespace v1 {

        /**
         * Properties of a FederationAnswer.
         * @deprecated Use reedbed.v1.FederationAnswer.$Properties instead.
         */
        interface IFederationAnswer extends reedbed.v1.FederationAnswer.$Properties {
        }

        /** Represents a FederationAnswer. */
        class FederationAnswer {

            /**
             * Constructs a new FederationAnswer.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.FederationAnswer.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** FederationAnswer epoch. */
            epoch: string;

            /** FederationAnswer body. */
            body: Uint8Array;

            /** FederationAnswer code. */
            code: reedbed.v1.ErrorCode;

            /** FederationAnswer detail. */
            detail: string;

            /** FederationAnswer retryAfterMs. */
            retryAfterMs: number;

            /** FederationAnswer certificate. */
            certificate: Uint8Array;

            /**
             * Creates a new FederationAnswer instance using the specified properties.
             * @param [properties] Properties to set
             * @returns FederationAnswer instance
             */
            static create(properties: reedbed.v1.FederationAnswer.$Shape): reedbed.v1.FederationAnswer & reedbed.v1.FederationAnswer.$Shape;
            static create(properties?: reedbed.v1.FederationAnswer.$Properties): reedbed.v1.FederationAnswer;

            /**
             * Encodes the specified FederationAnswer message. Does not implicitly {@link reedbed.v1.FederationAnswer.verify|verify} messages.
             * @param message FederationAnswer message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.FederationAnswer.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a FederationAnswer message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.FederationAnswer & reedbed.v1.FederationAnswer.$Shape} FederationAnswer
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.FederationAnswer & reedbed.v1.FederationAnswer.$Shape;
        }

        namespace FederationAnswer {

            /** Properties of a FederationAnswer. */
            interface $Properties {

                /** FederationAnswer epoch */
                epoch?: (string|null);

                /** FederationAnswer body */
                body?: (Uint8Array|null);

                /** FederationAnswer code */
                code?: (reedbed.v1.ErrorCode|null);

                /** FederationAnswer detail */
                detail?: (string|null);

                /** FederationAnswer retryAfterMs */
                retryAfterMs?: (number|null);

                /** FederationAnswer certificate */
                certificate?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a FederationAnswer. */
            type $Shape = reedbed.v1.FederationAnswer.$Properties;
        }

        /** ErrorCode enum. */
        enum ErrorCode {

            /** UNSPECIFIED value */
            UNSPECIFIED = 0,

            /** BAD_REQUEST value */
            BAD_REQUEST = 1,

            /** UNAUTHENTICATED value */
            UNAUTHENTICATED = 2,

            /** FORBIDDEN value */
            FORBIDDEN = 3,

            /** BLOCKED value */
            BLOCKED = 4,

            /** NOT_FOUND value */
            NOT_FOUND = 5,

            /** METHOD_NOT_ALLOWED value */
            METHOD_NOT_ALLOWED = 6,

            /** CONFLICT value */
            CONFLICT = 7,

            /** TIP_MISMATCH value */
            TIP_MISMATCH = 8,

            /** USERNAME_TAKEN value */
            USERNAME_TAKEN = 9,

            /** REMOVED value */
            REMOVED = 10,

            /** TOO_LARGE value */
            TOO_LARGE = 11,

            /** UNSUPPORTED_MEDIA_TYPE value */
            UNSUPPORTED_MEDIA_TYPE = 12,

            /** INVALID value */
            INVALID = 13,

            /** RATE_LIMITED value */
            RATE_LIMITED = 14,

            /** TOO_MANY_OPEN value */
            TOO_MANY_OPEN = 15,

            /** INTERNAL value */
            INTERNAL = 16,

            /** UNIMPLEMENTED value */
            UNIMPLEMENTED = 17,

            /** UNAVAILABLE value */
            UNAVAILABLE = 18,

            /** SIGNUP_CLOSED value */
            SIGNUP_CLOSED = 19,

            /** INVITE_INVALID value */
            INVITE_INVALID = 20,

            /** KEY_REVOKED value */
            KEY_REVOKED = 21,

            /** EXPIRED value */
            EXPIRED = 22,

            /** NOT_ACKNOWLEDGED value */
            NOT_ACKNOWLEDGED = 23,

            /** CLOCK_DIFFERS value */
            CLOCK_DIFFERS = 24
        }

        /** CloseCode enum. */
        enum CloseCode {

            /** CLOSE_UNSPECIFIED value */
            CLOSE_UNSPECIFIED = 0,

            /** CLOSE_GOING_AWAY value */
            CLOSE_GOING_AWAY = 4000,

            /** CLOSE_UNAUTHENTICATED value */
            CLOSE_UNAUTHENTICATED = 4001,

            /** CLOSE_AUTHENTICATION_TIMEOUT value */
            CLOSE_AUTHENTICATION_TIMEOUT = 4002,

            /** CLOSE_MALFORMED_FRAME value */
            CLOSE_MALFORMED_FRAME = 4003,

            /** CLOSE_TEXT_FRAME value */
            CLOSE_TEXT_FRAME = 4004,

            /** CLOSE_FRAME_TOO_LARGE value */
            CLOSE_FRAME_TOO_LARGE = 4005,

            /** CLOSE_RATE_LIMITED value */
            CLOSE_RATE_LIMITED = 4006,

            /** CLOSE_SLOW_READER value */
            CLOSE_SLOW_READER = 4007,

            /** CLOSE_SILENT value */
            CLOSE_SILENT = 4008,

            /** CLOSE_REPLACED value */
            CLOSE_REPLACED = 4009,

            /** CLOSE_SESSION_ENDED value */
            CLOSE_SESSION_ENDED = 4010,

            /** CLOSE_PRESENCE_LOST value */
            CLOSE_PRESENCE_LOST = 4011,

            /** CLOSE_TOO_MANY_CONNECTIONS value */
            CLOSE_TOO_MANY_CONNECTIONS = 4012,

            /** CLOSE_UNSUPPORTED_PROTOCOL value */
            CLOSE_UNSUPPORTED_PROTOCOL = 4013,

            /** CLOSE_INTERNAL value */
            CLOSE_INTERNAL = 4014,

            /** CLOSE_UNEXPECTED_FRAME value */
            CLOSE_UNEXPECTED_FRAME = 4015
        }
    }
}
