// Generated from proto/ by `npm run gen`; not edited by hand.
import * as $protobuf from "protobufjs/minimal.js";

/** Namespace reedbed. */
export namespace reedbed {

    /** Namespace v1. */
    namespace v1 {

        /** StreamKind enum. */
        enum StreamKind {

            /** STREAM_KIND_UNSPECIFIED value */
            STREAM_KIND_UNSPECIFIED = 0,

            /** NOTHING value */
            NOTHING = 1,

            /** NEW_REED value */
            NEW_REED = 2,

            /** NEW_THREAD value */
            NEW_THREAD = 3,

            /** REED_REMOVAL value */
            REED_REMOVAL = 4,

            /** THREAD_REMOVAL value */
            THREAD_REMOVAL = 5,

            /** ACCOUNT_REMOVAL value */
            ACCOUNT_REMOVAL = 6,

            /** KEY value */
            KEY = 7,

            /** KEY_REVOCATION value */
            KEY_REVOCATION = 8
        }

        /**
         * Properties of a StreamItem.
         * @deprecated Use reedbed.v1.StreamItem.$Properties instead.
         */
        interface IStreamItem extends reedbed.v1.StreamItem.$Properties {
        }

        /** Represents a StreamItem. */
        class StreamItem {

            /**
             * Constructs a new StreamItem.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.StreamItem.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StreamItem number. */
            number: number;

            /** StreamItem kind. */
            kind: reedbed.v1.StreamKind;

            /** StreamItem certificate. */
            certificate: Uint8Array;

            /** StreamItem broadcast. */
            broadcast: boolean;

            /** StreamItem parts. */
            parts: Uint8Array[];

            /** StreamItem record. */
            record: Uint8Array;

            /**
             * Creates a new StreamItem instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StreamItem instance
             */
            static create(properties: reedbed.v1.StreamItem.$Shape): reedbed.v1.StreamItem & reedbed.v1.StreamItem.$Shape;
            static create(properties?: reedbed.v1.StreamItem.$Properties): reedbed.v1.StreamItem;

            /**
             * Encodes the specified StreamItem message. Does not implicitly {@link reedbed.v1.StreamItem.verify|verify} messages.
             * @param message StreamItem message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.StreamItem.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StreamItem message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.StreamItem & reedbed.v1.StreamItem.$Shape} StreamItem
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.StreamItem & reedbed.v1.StreamItem.$Shape;
        }

        namespace StreamItem {

            /** Properties of a StreamItem. */
            interface $Properties {

                /** StreamItem number */
                number?: (number|null);

                /** StreamItem kind */
                kind?: (reedbed.v1.StreamKind|null);

                /** StreamItem certificate */
                certificate?: (Uint8Array|null);

                /** StreamItem broadcast */
                broadcast?: (boolean|null);

                /** StreamItem parts */
                parts?: (Uint8Array[]|null);

                /** StreamItem record */
                record?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StreamItem. */
            type $Shape = reedbed.v1.StreamItem.$Properties;
        }

        /**
         * Properties of a StreamRequest.
         * @deprecated Use reedbed.v1.StreamRequest.$Properties instead.
         */
        interface IStreamRequest extends reedbed.v1.StreamRequest.$Properties {
        }

        /** Represents a StreamRequest. */
        class StreamRequest {

            /**
             * Constructs a new StreamRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.StreamRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StreamRequest authorId. */
            authorId: string;

            /** StreamRequest start. */
            start: number;

            /** StreamRequest cursor. */
            cursor: number;

            /** StreamRequest items. */
            items: reedbed.v1.StreamItem.$Properties[];

            /** StreamRequest replay. */
            replay: boolean;

            /** StreamRequest sent. */
            sent: number;

            /** StreamRequest token. */
            token: string;

            /**
             * Creates a new StreamRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StreamRequest instance
             */
            static create(properties: reedbed.v1.StreamRequest.$Shape): reedbed.v1.StreamRequest & reedbed.v1.StreamRequest.$Shape;
            static create(properties?: reedbed.v1.StreamRequest.$Properties): reedbed.v1.StreamRequest;

            /**
             * Encodes the specified StreamRequest message. Does not implicitly {@link reedbed.v1.StreamRequest.verify|verify} messages.
             * @param message StreamRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.StreamRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StreamRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.StreamRequest & reedbed.v1.StreamRequest.$Shape} StreamRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.StreamRequest & reedbed.v1.StreamRequest.$Shape;
        }

        namespace StreamRequest {

            /** Properties of a StreamRequest. */
            interface $Properties {

                /** StreamRequest authorId */
                authorId?: (string|null);

                /** StreamRequest start */
                start?: (number|null);

                /** StreamRequest cursor */
                cursor?: (number|null);

                /** StreamRequest items */
                items?: (reedbed.v1.StreamItem.$Properties[]|null);

                /** StreamRequest replay */
                replay?: (boolean|null);

                /** StreamRequest sent */
                sent?: (number|null);

                /** StreamRequest token */
                token?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StreamRequest. */
            type $Shape = reedbed.v1.StreamRequest.$Properties;
        }

        /** StreamVerdict enum. */
        enum StreamVerdict {

            /** STREAM_VERDICT_UNSPECIFIED value */
            STREAM_VERDICT_UNSPECIFIED = 0,

            /** ACCEPTED value */
            ACCEPTED = 1,

            /** KNOWN value */
            KNOWN = 2,

            /** LATER value */
            LATER = 3,

            /** REFUSED value */
            REFUSED = 4
        }

        /**
         * Properties of a StreamOutcome.
         * @deprecated Use reedbed.v1.StreamOutcome.$Properties instead.
         */
        interface IStreamOutcome extends reedbed.v1.StreamOutcome.$Properties {
        }

        /** Represents a StreamOutcome. */
        class StreamOutcome {

            /**
             * Constructs a new StreamOutcome.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.StreamOutcome.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StreamOutcome number. */
            number: number;

            /** StreamOutcome verdict. */
            verdict: reedbed.v1.StreamVerdict;

            /** StreamOutcome reason. */
            reason: string;

            /**
             * Creates a new StreamOutcome instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StreamOutcome instance
             */
            static create(properties: reedbed.v1.StreamOutcome.$Shape): reedbed.v1.StreamOutcome & reedbed.v1.StreamOutcome.$Shape;
            static create(properties?: reedbed.v1.StreamOutcome.$Properties): reedbed.v1.StreamOutcome;

            /**
             * Encodes the specified StreamOutcome message. Does not implicitly {@link reedbed.v1.StreamOutcome.verify|verify} messages.
             * @param message StreamOutcome message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.StreamOutcome.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StreamOutcome message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.StreamOutcome & reedbed.v1.StreamOutcome.$Shape} StreamOutcome
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.StreamOutcome & reedbed.v1.StreamOutcome.$Shape;
        }

        namespace StreamOutcome {

            /** Properties of a StreamOutcome. */
            interface $Properties {

                /** StreamOutcome number */
                number?: (number|null);

                /** StreamOutcome verdict */
                verdict?: (reedbed.v1.StreamVerdict|null);

                /** StreamOutcome reason */
                reason?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StreamOutcome. */
            type $Shape = reedbed.v1.StreamOutcome.$Properties;
        }

        /**
         * Properties of a StreamAnswer.
         * @deprecated Use reedbed.v1.StreamAnswer.$Properties instead.
         */
        interface IStreamAnswer extends reedbed.v1.StreamAnswer.$Properties {
        }

        /** Represents a StreamAnswer. */
        class StreamAnswer {

            /**
             * Constructs a new StreamAnswer.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.StreamAnswer.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StreamAnswer have. */
            have: number;

            /** StreamAnswer outcomes. */
            outcomes: reedbed.v1.StreamOutcome.$Properties[];

            /**
             * Creates a new StreamAnswer instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StreamAnswer instance
             */
            static create(properties: reedbed.v1.StreamAnswer.$Shape): reedbed.v1.StreamAnswer & reedbed.v1.StreamAnswer.$Shape;
            static create(properties?: reedbed.v1.StreamAnswer.$Properties): reedbed.v1.StreamAnswer;

            /**
             * Encodes the specified StreamAnswer message. Does not implicitly {@link reedbed.v1.StreamAnswer.verify|verify} messages.
             * @param message StreamAnswer message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.StreamAnswer.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StreamAnswer message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.StreamAnswer & reedbed.v1.StreamAnswer.$Shape} StreamAnswer
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.StreamAnswer & reedbed.v1.StreamAnswer.$Shape;
        }

        namespace StreamAnswer {

            /** Properties of a StreamAnswer. */
            interface $Properties {

                /** StreamAnswer have */
                have?: (number|null);

                /** StreamAnswer outcomes */
                outcomes?: (reedbed.v1.StreamOutcome.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StreamAnswer. */
            type $Shape = reedbed.v1.StreamAnswer.$Properties;
        }

        /**
         * Properties of a Position.
         * @deprecated Use reedbed.v1.Position.$Properties instead.
         */
        interface IPosition extends reedbed.v1.Position.$Properties {
        }

        /** Represents a Position. */
        class Position {

            /**
             * Constructs a new Position.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.Position.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Position authorId. */
            authorId: string;

            /** Position number. */
            number: number;

            /**
             * Creates a new Position instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Position instance
             */
            static create(properties: reedbed.v1.Position.$Shape): reedbed.v1.Position & reedbed.v1.Position.$Shape;
            static create(properties?: reedbed.v1.Position.$Properties): reedbed.v1.Position;

            /**
             * Encodes the specified Position message. Does not implicitly {@link reedbed.v1.Position.verify|verify} messages.
             * @param message Position message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.Position.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Position message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.Position & reedbed.v1.Position.$Shape} Position
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.Position & reedbed.v1.Position.$Shape;
        }

        namespace Position {

            /** Properties of a Position. */
            interface $Properties {

                /** Position authorId */
                authorId?: (string|null);

                /** Position number */
                number?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Position. */
            type $Shape = reedbed.v1.Position.$Properties;
        }

        /**
         * Properties of a PositionsRequest.
         * @deprecated Use reedbed.v1.PositionsRequest.$Properties instead.
         */
        interface IPositionsRequest extends reedbed.v1.PositionsRequest.$Properties {
        }

        /** Represents a PositionsRequest. */
        class PositionsRequest {

            /**
             * Constructs a new PositionsRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.PositionsRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PositionsRequest positions. */
            positions: reedbed.v1.Position.$Properties[];

            /**
             * Creates a new PositionsRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PositionsRequest instance
             */
            static create(properties: reedbed.v1.PositionsRequest.$Shape): reedbed.v1.PositionsRequest & reedbed.v1.PositionsRequest.$Shape;
            static create(properties?: reedbed.v1.PositionsRequest.$Properties): reedbed.v1.PositionsRequest;

            /**
             * Encodes the specified PositionsRequest message. Does not implicitly {@link reedbed.v1.PositionsRequest.verify|verify} messages.
             * @param message PositionsRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.PositionsRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PositionsRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.PositionsRequest & reedbed.v1.PositionsRequest.$Shape} PositionsRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.PositionsRequest & reedbed.v1.PositionsRequest.$Shape;
        }

        namespace PositionsRequest {

            /** Properties of a PositionsRequest. */
            interface $Properties {

                /** PositionsRequest positions */
                positions?: (reedbed.v1.Position.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PositionsRequest. */
            type $Shape = reedbed.v1.PositionsRequest.$Properties;
        }

        /**
         * Properties of a PositionsAnswer.
         * @deprecated Use reedbed.v1.PositionsAnswer.$Properties instead.
         */
        interface IPositionsAnswer extends reedbed.v1.PositionsAnswer.$Properties {
        }

        /** Represents a PositionsAnswer. */
        class PositionsAnswer {

            /**
             * Constructs a new PositionsAnswer.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.PositionsAnswer.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PositionsAnswer positions. */
            positions: reedbed.v1.Position.$Properties[];

            /**
             * Creates a new PositionsAnswer instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PositionsAnswer instance
             */
            static create(properties: reedbed.v1.PositionsAnswer.$Shape): reedbed.v1.PositionsAnswer & reedbed.v1.PositionsAnswer.$Shape;
            static create(properties?: reedbed.v1.PositionsAnswer.$Properties): reedbed.v1.PositionsAnswer;

            /**
             * Encodes the specified PositionsAnswer message. Does not implicitly {@link reedbed.v1.PositionsAnswer.verify|verify} messages.
             * @param message PositionsAnswer message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.PositionsAnswer.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PositionsAnswer message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.PositionsAnswer & reedbed.v1.PositionsAnswer.$Shape} PositionsAnswer
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.PositionsAnswer & reedbed.v1.PositionsAnswer.$Shape;
        }

        namespace PositionsAnswer {

            /** Properties of a PositionsAnswer. */
            interface $Properties {

                /** PositionsAnswer positions */
                positions?: (reedbed.v1.Position.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PositionsAnswer. */
            type $Shape = reedbed.v1.PositionsAnswer.$Properties;
        }

        /**
         * Properties of an AboutRequest.
         * @deprecated Use reedbed.v1.AboutRequest.$Properties instead.
         */
        interface IAboutRequest extends reedbed.v1.AboutRequest.$Properties {
        }

        /** Represents an AboutRequest. */
        class AboutRequest {

            /**
             * Constructs a new AboutRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.AboutRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** AboutRequest id. */
            id: string;

            /**
             * Creates a new AboutRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns AboutRequest instance
             */
            static create(properties: reedbed.v1.AboutRequest.$Shape): reedbed.v1.AboutRequest & reedbed.v1.AboutRequest.$Shape;
            static create(properties?: reedbed.v1.AboutRequest.$Properties): reedbed.v1.AboutRequest;

            /**
             * Encodes the specified AboutRequest message. Does not implicitly {@link reedbed.v1.AboutRequest.verify|verify} messages.
             * @param message AboutRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.AboutRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an AboutRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.AboutRequest & reedbed.v1.AboutRequest.$Shape} AboutRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.AboutRequest & reedbed.v1.AboutRequest.$Shape;
        }

        namespace AboutRequest {

            /** Properties of an AboutRequest. */
            interface $Properties {

                /** AboutRequest id */
                id?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an AboutRequest. */
            type $Shape = reedbed.v1.AboutRequest.$Properties;
        }

        /**
         * Properties of a KeyLink.
         * @deprecated Use reedbed.v1.KeyLink.$Properties instead.
         */
        interface IKeyLink extends reedbed.v1.KeyLink.$Properties {
        }

        /** Represents a KeyLink. */
        class KeyLink {

            /**
             * Constructs a new KeyLink.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.KeyLink.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** KeyLink certificate. */
            certificate: Uint8Array;

            /** KeyLink revocation. */
            revocation: Uint8Array;

            /**
             * Creates a new KeyLink instance using the specified properties.
             * @param [properties] Properties to set
             * @returns KeyLink instance
             */
            static create(properties: reedbed.v1.KeyLink.$Shape): reedbed.v1.KeyLink & reedbed.v1.KeyLink.$Shape;
            static create(properties?: reedbed.v1.KeyLink.$Properties): reedbed.v1.KeyLink;

            /**
             * Encodes the specified KeyLink message. Does not implicitly {@link reedbed.v1.KeyLink.verify|verify} messages.
             * @param message KeyLink message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.KeyLink.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a KeyLink message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.KeyLink & reedbed.v1.KeyLink.$Shape} KeyLink
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.KeyLink & reedbed.v1.KeyLink.$Shape;
        }

        namespace KeyLink {

            /** Properties of a KeyLink. */
            interface $Properties {

                /** KeyLink certificate */
                certificate?: (Uint8Array|null);

                /** KeyLink revocation */
                revocation?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a KeyLink. */
            type $Shape = reedbed.v1.KeyLink.$Properties;
        }

        /**
         * Properties of a KeyAnswer.
         * @deprecated Use reedbed.v1.KeyAnswer.$Properties instead.
         */
        interface IKeyAnswer extends reedbed.v1.KeyAnswer.$Properties {
        }

        /** Represents a KeyAnswer. */
        class KeyAnswer {

            /**
             * Constructs a new KeyAnswer.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.KeyAnswer.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** KeyAnswer chain. */
            chain: reedbed.v1.KeyLink.$Properties[];

            /**
             * Creates a new KeyAnswer instance using the specified properties.
             * @param [properties] Properties to set
             * @returns KeyAnswer instance
             */
            static create(properties: reedbed.v1.KeyAnswer.$Shape): reedbed.v1.KeyAnswer & reedbed.v1.KeyAnswer.$Shape;
            static create(properties?: reedbed.v1.KeyAnswer.$Properties): reedbed.v1.KeyAnswer;

            /**
             * Encodes the specified KeyAnswer message. Does not implicitly {@link reedbed.v1.KeyAnswer.verify|verify} messages.
             * @param message KeyAnswer message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.KeyAnswer.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a KeyAnswer message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.KeyAnswer & reedbed.v1.KeyAnswer.$Shape} KeyAnswer
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.KeyAnswer & reedbed.v1.KeyAnswer.$Shape;
        }

        namespace KeyAnswer {

            /** Properties of a KeyAnswer. */
            interface $Properties {

                /** KeyAnswer chain */
                chain?: (reedbed.v1.KeyLink.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a KeyAnswer. */
            type $Shape = reedbed.v1.KeyAnswer.$Properties;
        }

        /**
         * Properties of a ProfileAnswer.
         * @deprecated Use reedbed.v1.ProfileAnswer.$Properties instead.
         */
        interface IProfileAnswer extends reedbed.v1.ProfileAnswer.$Properties {
        }

        /** Represents a ProfileAnswer. */
        class ProfileAnswer {

            /**
             * Constructs a new ProfileAnswer.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.ProfileAnswer.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ProfileAnswer identity. */
            identity: Uint8Array;

            /** ProfileAnswer chain. */
            chain: reedbed.v1.KeyLink.$Properties[];

            /**
             * Creates a new ProfileAnswer instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ProfileAnswer instance
             */
            static create(properties: reedbed.v1.ProfileAnswer.$Shape): reedbed.v1.ProfileAnswer & reedbed.v1.ProfileAnswer.$Shape;
            static create(properties?: reedbed.v1.ProfileAnswer.$Properties): reedbed.v1.ProfileAnswer;

            /**
             * Encodes the specified ProfileAnswer message. Does not implicitly {@link reedbed.v1.ProfileAnswer.verify|verify} messages.
             * @param message ProfileAnswer message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.ProfileAnswer.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ProfileAnswer message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.ProfileAnswer & reedbed.v1.ProfileAnswer.$Shape} ProfileAnswer
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.ProfileAnswer & reedbed.v1.ProfileAnswer.$Shape;
        }

        namespace ProfileAnswer {

            /** Properties of a ProfileAnswer. */
            interface $Properties {

                /** ProfileAnswer identity */
                identity?: (Uint8Array|null);

                /** ProfileAnswer chain */
                chain?: (reedbed.v1.KeyLink.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ProfileAnswer. */
            type $Shape = reedbed.v1.ProfileAnswer.$Properties;
        }

        /**
         * Properties of a CertificateAnswer.
         * @deprecated Use reedbed.v1.CertificateAnswer.$Properties instead.
         */
        interface ICertificateAnswer extends reedbed.v1.CertificateAnswer.$Properties {
        }

        /** Represents a CertificateAnswer. */
        class CertificateAnswer {

            /**
             * Constructs a new CertificateAnswer.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.CertificateAnswer.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** CertificateAnswer certificate. */
            certificate: Uint8Array;

            /** CertificateAnswer parts. */
            parts: Uint8Array[];

            /**
             * Creates a new CertificateAnswer instance using the specified properties.
             * @param [properties] Properties to set
             * @returns CertificateAnswer instance
             */
            static create(properties: reedbed.v1.CertificateAnswer.$Shape): reedbed.v1.CertificateAnswer & reedbed.v1.CertificateAnswer.$Shape;
            static create(properties?: reedbed.v1.CertificateAnswer.$Properties): reedbed.v1.CertificateAnswer;

            /**
             * Encodes the specified CertificateAnswer message. Does not implicitly {@link reedbed.v1.CertificateAnswer.verify|verify} messages.
             * @param message CertificateAnswer message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.CertificateAnswer.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a CertificateAnswer message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.CertificateAnswer & reedbed.v1.CertificateAnswer.$Shape} CertificateAnswer
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.CertificateAnswer & reedbed.v1.CertificateAnswer.$Shape;
        }

        namespace CertificateAnswer {

            /** Properties of a CertificateAnswer. */
            interface $Properties {

                /** CertificateAnswer certificate */
                certificate?: (Uint8Array|null);

                /** CertificateAnswer parts */
                parts?: (Uint8Array[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a CertificateAnswer. */
            type $Shape = reedbed.v1.CertificateAnswer.$Properties;
        }

        /**
         * Properties of an ActRequest.
         * @deprecated Use reedbed.v1.ActRequest.$Properties instead.
         */
        interface IActRequest extends reedbed.v1.ActRequest.$Properties {
        }

        /** Represents an ActRequest. */
        class ActRequest {

            /**
             * Constructs a new ActRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: reedbed.v1.ActRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ActRequest certificate. */
            certificate: Uint8Array;

            /**
             * Creates a new ActRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActRequest instance
             */
            static create(properties: reedbed.v1.ActRequest.$Shape): reedbed.v1.ActRequest & reedbed.v1.ActRequest.$Shape;
            static create(properties?: reedbed.v1.ActRequest.$Properties): reedbed.v1.ActRequest;

            /**
             * Encodes the specified ActRequest message. Does not implicitly {@link reedbed.v1.ActRequest.verify|verify} messages.
             * @param message ActRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: reedbed.v1.ActRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {reedbed.v1.ActRequest & reedbed.v1.ActRequest.$Shape} ActRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): reedbed.v1.ActRequest & reedbed.v1.ActRequest.$Shape;
        }

        namespace ActRequest {

            /** Properties of an ActRequest. */
            interface $Properties {

                /** ActRequest certificate */
                certificate?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ActRequest. */
            type $Shape = reedbed.v1.ActRequest.$Properties;
        }
    }
}
