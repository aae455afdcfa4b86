// Generated from proto/ by `npm run gen`; not edited by hand.
import * as $protobuf from "protobufjs/minimal.js";

/** Namespace reedbed. */
export namespace reedbed {

    /** Namespace v1. */
    namespace v1 {

        /**
         * Properties of a Connect.
         * @deprecated Use reedbed.v1.Connect.$Properties instead.
         */
        interface IConnect extends reedbed.v1.Connect.$Properties {
        }

        /** Represents a Connect. */
        class Connect {

            /**
             * Constructs a new Connect.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.Connect.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Connect secret. */
            secret: Uint8Array;

            /** Connect document. */
            document: Uint8Array;

            /**
             * Creates a new Connect instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Connect instance
             */
            static create(properties: reedbed.v1.Connect.$Shape): reedbed.v1.Connect & reedbed.v1.Connect.$Shape;
            static create(properties?: reedbed.v1.Connect.$Properties): reedbed.v1.Connect;

            /**
             * Encodes the specified Connect message. Does not implicitly {@link reedbed.v1.Connect.verify|verify} messages.
             * @param message Connect message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.Connect.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Connect message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.Connect & reedbed.v1.Connect.$Shape} Connect
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.Connect & reedbed.v1.Connect.$Shape;
        }

        namespace Connect {

            /** Properties of a Connect. */
            interface $Properties {

                /** Connect secret */
                secret?: (Uint8Array|null);

                /** Connect document */
                document?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Connect. */
            type $Shape = reedbed.v1.Connect.$Properties;
        }

        /**
         * Properties of a Connected.
         * @deprecated Use reedbed.v1.Connected.$Properties instead.
         */
        interface IConnected extends reedbed.v1.Connected.$Properties {
        }

        /** Represents a Connected. */
        class Connected {

            /**
             * Constructs a new Connected.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.Connected.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Connected document. */
            document: Uint8Array;

            /**
             * Creates a new Connected instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Connected instance
             */
            static create(properties: reedbed.v1.Connected.$Shape): reedbed.v1.Connected & reedbed.v1.Connected.$Shape;
            static create(properties?: reedbed.v1.Connected.$Properties): reedbed.v1.Connected;

            /**
             * Encodes the specified Connected message. Does not implicitly {@link reedbed.v1.Connected.verify|verify} messages.
             * @param message Connected message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.Connected.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Connected message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.Connected & reedbed.v1.Connected.$Shape} Connected
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.Connected & reedbed.v1.Connected.$Shape;
        }

        namespace Connected {

            /** Properties of a Connected. */
            interface $Properties {

                /** Connected document */
                document?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Connected. */
            type $Shape = reedbed.v1.Connected.$Properties;
        }

        /** NoticeKind enum. */
        enum NoticeKind {

            /** NOTICE_UNSPECIFIED value */
            NOTICE_UNSPECIFIED = 0,

            /** NOTICE_APPROVED value */
            NOTICE_APPROVED = 1,

            /** NOTICE_GOING_AWAY value */
            NOTICE_GOING_AWAY = 2,

            /** NOTICE_BACK value */
            NOTICE_BACK = 3,

            /** NOTICE_DISCONNECTED value */
            NOTICE_DISCONNECTED = 4,

            /** NOTICE_COMPROMISED value */
            NOTICE_COMPROMISED = 5
        }

        /**
         * Properties of a Notice.
         * @deprecated Use reedbed.v1.Notice.$Properties instead.
         */
        interface INotice extends reedbed.v1.Notice.$Properties {
        }

        /** Represents a Notice. */
        class Notice {

            /**
             * Constructs a new Notice.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.Notice.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Notice kind. */
            kind: reedbed.v1.NoticeKind;

            /** Notice revocation. */
            revocation: Uint8Array;

            /** Notice document. */
            document: Uint8Array;

            /**
             * Creates a new Notice instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Notice instance
             */
            static create(properties: reedbed.v1.Notice.$Shape): reedbed.v1.Notice & reedbed.v1.Notice.$Shape;
            static create(properties?: reedbed.v1.Notice.$Properties): reedbed.v1.Notice;

            /**
             * Encodes the specified Notice message. Does not implicitly {@link reedbed.v1.Notice.verify|verify} messages.
             * @param message Notice message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.Notice.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Notice message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.Notice & reedbed.v1.Notice.$Shape} Notice
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.Notice & reedbed.v1.Notice.$Shape;
        }

        namespace Notice {

            /** Properties of a Notice. */
            interface $Properties {

                /** Notice kind */
                kind?: (reedbed.v1.NoticeKind|null);

                /** Notice revocation */
                revocation?: (Uint8Array|null);

                /** Notice document */
                document?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Notice. */
            type $Shape = reedbed.v1.Notice.$Properties;
        }
    }
}
